import type { StoredEvent } from "../../../src/ingest/mod.ts";
import type { ExpectedView } from "./walk.ts";

/** Origins of a walk, by what stands for them in expected views. */
export interface Origins {
  /** The fixture's. */
  readonly site: string;
  /** Where the visitor came from. */
  readonly mail: string;
}

/** Describes a view that has to come like one that came. */
export function describeExpected({ name = "$pageview", collection, url, title, referrer }: ExpectedView): string {
  return toLine(name, { collection, url, title, referrer });
}

/** Describes an event that came, without the origin of the site. */
export function describeEvent({ name, collection, context }: StoredEvent, { site, mail }: Origins): string {
  const shorten = (url: string | undefined): string | undefined =>
    url === site ? "site:" : url?.replace(site, "").replace(mail, "mail:");
  return toLine(name, {
    collection,
    url: shorten(context?.pageUrl),
    title: context?.pageTitle,
    referrer: shorten(context?.referrer),
  });
}

interface Line {
  readonly collection: string;
  readonly url: string | undefined;
  readonly title: string | undefined;
  readonly referrer: string | undefined;
}

function toLine(name: string, { collection, url, title, referrer }: Line): string {
  const quoted = title === undefined ? "" : ` "${title}"`;
  return `${collection} ${name} ${url}${quoted}${referrer === undefined ? "" : ` from ${referrer}`}`;
}
