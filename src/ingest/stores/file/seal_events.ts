import { type EventColumn, type ExportedEvent, STORED_COLUMNS } from "../../events/columns.ts";
import { packEvents } from "./event_parquet.ts";
import { chooseCodec } from "./parquet_codec.ts";

/** An event, the hash of its key, and its place in the folder. */
export interface SealedEvent extends ExportedEvent {
  readonly keyHash: string;
  /** Its place in the order of arrival. It has it for good, and no other event ever gets it. */
  readonly seq: number;
}

/** The columns of a sealed file. */
export const SEALED_COLUMNS: readonly EventColumn[] = [
  ...STORED_COLUMNS,
  {
    ...{ name: "seq", type: "long", about: "place in the order of arrival" },
    // Sealed are events that have one.
    read: ({ event }) => (event as SealedEvent).seq,
  },
];

/** Writes events as the bytes of a sealed file: Parquet, with all columns of {@linkcode SEALED_COLUMNS}. */
export async function sealEvents(events: readonly SealedEvent[]): Promise<Uint8Array> {
  return await packEvents(events, { columns: SEALED_COLUMNS, ...chooseCodec() });
}
