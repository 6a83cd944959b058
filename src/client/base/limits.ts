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

/**
 * Most values, however deep, in properties or traits: 32 KiB of JSON have room for some 16,000. Beyond them they are left
 * out.
 */
export const MAX_JSON_VALUES = 20_000;

/** Most levels of properties or traits. The ingest refuses a whole request over 100, of which the event's own are a few. */
export const MAX_JSON_DEPTH = 90;

/** Most values that are looked through to see whether JSON writes all of them as they are; so few don't nest too deep. */
export const MAX_PLAIN_VALUES = 80;

/** A context field of more UTF-16 units is left out, so that none costs an event; a URL loses query and fragment first. */
export const MAX_CONTEXT_FIELD_LENGTH = 8192;

/** Milliseconds that a full pageview awaits its title, since routers and applications set it late. */
export const TITLE_DELAY_MS = 1000;

/** Milliseconds after `pushState` in which `replaceState` is a redirect: React's routers make it in an effect. */
export const REDIRECT_MS = 300;

/** Most drafts that become events in one task, so that none takes long. */
export const FINISH_EVENTS = 500;

/** Most events held in memory, and most drafts. */
export const MAX_QUEUE_EVENTS = 20_000;

/** Most UTF-8 bytes of events held in memory, 16 MiB. */
export const MAX_QUEUE_BYTES = 16_777_216;

/** Most bytes of undelivered events that a page keeps on the device, 1 MiB; and that gone pages may leave beside them. */
export const MAX_OUTBOX_BYTES = 1_048_576;

/** Milliseconds that finished events live in memory alone. */
export const SAVE_DELAY_MS = 1000;

/** Milliseconds that a page that was last heard of keeps what it saved to itself. */
export const LEASE_MS = 30_000;

/** Milliseconds that a page that goes away keeps what it saved to itself: its last requests arrive meanwhile. */
export const EXIT_LEASE_MS = 2000;

/** Most entries of other pages that are taken over in one task, so that none takes long. */
export const ADOPTED_ENTRIES = 100;

/** Milliseconds after which a page that had no room for what others left looks again. */
export const LOOK_AGAIN_MS = 5000;

/** Pages that look for what others left do so up to this much later, by chance, so that they don't all look at once. */
export const LOOK_SPREAD_MS = 1000;

/** Largest body of a batch in UTF-8 bytes, but for a single larger event. */
export const MAX_BATCH_BYTES = 60_000;

/** UTF-8 bytes of bodies in flight with keepalive, below the 64 KiB that a document's scripts share (Fetch standard). */
export const KEEPALIVE_BUDGET_BYTES = 61_440;

/** Events of the page that follow each other this fast, `visibilitychange` and `pagehide`, are of one exit. */
export const EXIT_MS = 500;

/** Most requests in flight while the page goes away. */
export const MAX_EXIT_REQUESTS = 8;

/** An answer that takes longer is no answer, and a flush takes no longer. */
export const TIMEOUT_MS = 30_000;

/** First backoff; it doubles from there. */
export const MIN_BACKOFF_MS = 1000;

/** Longest backoff, and longest Retry-After that is obeyed. */
export const MAX_WAIT_MS = 300_000;

/** Age from which events are dropped unsent, 7 days. */
export const MAX_AGE_MS = 604_800_000;

/** A session ends after this time without an event. */
export const SESSION_IDLE_MS = 1_800_000;

/** A session ends after this time in all. */
export const SESSION_MAX_MS = 86_400_000;

/** A session's end is put off on the device at most this often. */
export const SESSION_WRITE_MS = 5000;

/** Events in a request where `maxBatchSize` says nothing else (SPEC 2.1). */
export const DEFAULT_BATCH_SIZE = 50;

/** Most events that a request may carry (SPEC 8). */
export const MAX_BATCH_SIZE = 100;
