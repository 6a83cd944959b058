/** Prefix of every key that the SDK writes on the device: a denial erases what begins with it. */
export const STORAGE_PREFIX = "vendor.sdk.";

type Key = `${typeof STORAGE_PREFIX}${string}`;

/** Where the `anonymousId` lies. Its removal is how the pages of an origin tell each other of a denial. */
export const VISITOR_KEY: Key = "vendor.sdk.visitor";

/** Where the session lies: its ID, its start and its last event, in milliseconds since the Unix epoch. */
export const SESSION_KEY: Key = "vendor.sdk.session";

/** Prefix of what is undelivered, with the version of its form: `<account>.<batchId>.<owner>`, and a line an event. */
export const ENTRY_PREFIX: Key = "vendor.sdk.outbox.3.";

/** Prefix of the time until which a page owns what it saved, in milliseconds since the Unix epoch. */
export const LEASE_PREFIX: Key = "vendor.sdk.lease.";
