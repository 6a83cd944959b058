/**
 * A panel that is open.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { inspect, type Inspector } from "@vendor/sdk/inspector";
 *
 * const inspector: Inspector = inspect(Vendor);
 * inspector.close();
 * ```
 */
export interface Inspector {
  /** Whether it's open: `close()` ends it, and so does the visitor. */
  readonly isOpen: boolean;
  /** Takes the panel away, and leaves the client as it was. Calling it again does nothing. */
  close(): void;
}
