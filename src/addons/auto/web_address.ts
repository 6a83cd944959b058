import { attempt } from "../../client/base/attempt.ts";
import { MAX_CONTEXT_FIELD_LENGTH } from "../../client/base/limits.ts";

/** An address as it may be recorded: without user info, query and fragment. */
export interface WebAddress {
  /** The origin. */
  readonly origin: string;
  /** The path, which begins with a slash. */
  readonly path: string;
}

/** Characters of an address that are read: a page may have its data in one. */
const READ_CHARACTERS = 2 * MAX_CONTEXT_FIELD_LENGTH;

/** Reads an address of the web; returns nothing for any other, such as `mailto:`, `tel:`, `blob:` and what is none. */
export function readWebAddress(text: string, base?: string): WebAddress | undefined {
  const url = attempt(() => new URL(text.slice(0, READ_CHARACTERS), base));
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return { origin: url.origin, path: url.pathname.slice(0, MAX_CONTEXT_FIELD_LENGTH) };
}
