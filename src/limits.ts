/**
 * The limits of capture and delivery, in one place. A file without imports: the bundler puts its numbers where they
 * are used.
 *
 * @module
 */
/** Most UTF-8 bytes of an event's properties as JSON. */
export const MAX_PROPERTIES_BYTES = 32_768;

/** Most UTF-8 bytes of a user's traits as JSON. */
export const MAX_TRAITS_BYTES = 8192;

/** Most events held in memory. */
export const MAX_QUEUE_EVENTS = 10_000;

/** From so many events in memory on, a full batch might be the last that fits. */
export const CROWDED_EVENTS = 9_900;

/** Most UTF-8 bytes held in memory, 16 MiB. */
export const MAX_QUEUE_BYTES = 16_777_216;

/** Most UTF-16 units of undelivered events on the device. */
export const MAX_OUTBOX_LENGTH = 1_048_576;

/** How long events live in memory alone. */
export const SAVE_DELAY_MS = 1000;

/** How long a page that was last heard of keeps what it saved to itself. */
export const LEASE_MS = 30_000;

/** How long what a page sent at its end is left to arrive. */
export const EXIT_LEASE_MS = 5000;

/** How often a page renews its lease and looks for what others left; twice in a lease, so that one may be late. */
export const OUTBOX_CHECK_MS = 15_000;

/** Largest body of a batch in UTF-8 bytes, but for a single larger event. */
export const MAX_BATCH_BYTES = 60_000;

/** How many UTF-8 bytes a body grows by when it gets `batchId` and `sentAt`, each in place of `undefined`. */
export const UNSENT_BYTES = 42;

/** UTF-8 bytes of bodies in flight with keepalive, below the 64 KiB that a document's scripts share (Fetch standard). */
export const KEEPALIVE_BUDGET_BYTES = 61_440;

/** Most requests in flight while the page goes away. */
export const MAX_EXIT_REQUESTS = 8;

/** How long after the page went what its own handlers track still leaves at once. */
export const EXIT_MS = 1000;

/** An answer that takes longer is no answer, and a flush takes no longer. */
export const TIMEOUT_MS = 30_000;

/** Limit of the first backoff; it doubles from there. */
export const MIN_BACKOFF_MS = 1000;

/** Longest backoff. */
export const MAX_BACKOFF_MS = 60_000;

/** Longest Retry-After that is obeyed. */
export const MAX_RETRY_AFTER_MS = 300_000;

/** Network failures in a row after which sending is suspended. */
export const MAX_NETWORK_FAILURES = 10;

/** After so many failures in a row the batches take turns: one of them may be what fails for good. */
export const STEP_ASIDE_AFTER = 5;

/** A batch is dropped that was answered 5xx so often right after another one got through. */
export const MAX_SERVER_ERRORS = 10;

/** A batch older than 7 days isn't sent again. */
export const MAX_AGE_MS = 604_800_000;
