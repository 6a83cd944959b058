import type { Clock } from "./clock.ts";
import type { DeviceStorage } from "./device_storage.ts";
import type { Network } from "./network.ts";

/** The device that the pages of a browser share. */
export interface TestDevice {
  /** Time. */
  readonly clock: Clock;
  /** The way to the ingest. */
  readonly network: Network;
  /** Storage, which outlives a page. */
  readonly storage: DeviceStorage;
  /** Makes a UUID, version 4. */
  readonly randomId: () => string;
  /** Makes a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Subscribes to the return of the network. */
  onOnline(listener: () => void): void;
}
