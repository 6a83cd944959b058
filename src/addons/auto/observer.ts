/** Records an event. */
export type RecordEvent = (name: string, properties: object) => void;

/** Starts to observe the page; returns what ends it. */
export type Observer = (record: RecordEvent) => () => void;
