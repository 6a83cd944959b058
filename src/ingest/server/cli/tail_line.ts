import { createLocator, type Place } from "../../events/place.ts";
import { replaceControls } from "../../events/foreign_text.ts";
import { formatPath } from "../../reports/page/words.ts";
import type { StoredEvent } from "../../events/stored_event.ts";

/** Most characters of each part. */
const [NAME, PAGE, USER, VISITOR, PROPERTIES] = [32, 48, 20, 8, 80] as const;

/** Nobody sees it. */
const WORD_JOINER = "\u2060";

/** Texts of which terminals make a link. */
const ADDRESS = /:(?=\/\/)|\b(?:www|ftp)(?=\.)|\bmailto:|@/gi;

/** Writes an event as one line: time of arrival in UTC, collection and flag, name, page, user or visitor, properties. */
export function formatTailLine(
  event: StoredEvent,
  locate: (url: string) => Place = createLocator(),
): string {
  const { receivedAt, collection, flag, name, context, properties, site } = event;
  const { origin, path } = locate(context?.pageUrl ?? "");
  const page = (origin || (site ?? "")).replace(/^https?:\/\//, "") + formatPath(path);
  const cells = [
    receivedAt.slice(0, "2026-01-31T12:00:00".length).replace("T", " "),
    `${collection}${flag === undefined ? "" : ` ${flag}`}`.padEnd("aggregate".length),
    abbreviate(name, NAME).padEnd(16),
    (abbreviate(page, PAGE) || "-").padEnd(28),
    formatPerson(event).padEnd("visitor:".length + VISITOR),
    properties === undefined ? "" : abbreviate(JSON.stringify(properties), PROPERTIES),
  ];
  return cells.join("  ").trimEnd();
}

function formatPerson({ identity }: StoredEvent): string {
  if (typeof identity?.userId === "string") return `user:${abbreviate(identity.userId, USER)}`;
  return identity?.anonymousId ? `visitor:${clean(identity.anonymousId.slice(0, VISITOR))}` : "-";
}

function abbreviate(text: string, characters: number): string {
  // A name may have a megabyte, and a character two units.
  const all = [...text.slice(0, 2 * characters + 2)];
  return clean(all.length <= characters ? all.join("") : `${all.slice(0, characters - 1).join("")}…`);
}

function clean(text: string): string {
  return replaceControls(text.toWellFormed()).replace(ADDRESS, `$&${WORD_JOINER}`);
}
