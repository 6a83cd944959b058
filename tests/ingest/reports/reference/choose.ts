/**
 * What a query chooses.
 *
 * @module
 */
import { findChannel } from "../../../../src/ingest/events/channels.ts";
import type { AudienceDimension } from "../../../../src/ingest/ports/reader.ts";
import {
  type ReportFilter,
  type ReportQuery,
  SOURCE_DIMENSIONS,
  type SourceDimension,
} from "../../../../src/ingest/ports/report_query.ts";
import { createLocator } from "../../../../src/ingest/events/place.ts";
import { isSame } from "./count_funnel.ts";
import { compareText, inOrder, isWithin } from "./lists.ts";
import { fitsPattern, writePath } from "./paths.ts";
import { isStepOrAutomatic, type Locate, NOWHERE, type Origin, type ReadEvent } from "./read_event.ts";

export interface Session {
  /** Those of its pages, in their order. */
  readonly events: readonly ReadEvent[];
  /** Steps of backends that belong to it: it's chosen by them as well, and otherwise not counted by them. */
  readonly added: readonly ReadEvent[];
  readonly startTime: number;
  /** Absent where it has a single event. */
  readonly lengthMs: number | undefined;
  readonly views: number;
  readonly isLanding: boolean;
  readonly isBounce: boolean;
  /** Path of a landing's first pageview; absent for a session that is no landing. */
  readonly entry: string | undefined;
  /** Path of the last pageview; absent where there is none. */
  readonly exit: string | undefined;
  readonly from: Origin;
}

/** What a query chooses, at any time. */
export interface Chosen {
  readonly events: readonly ReadEvent[];
  readonly sessions: readonly Session[];
  readonly label: Label;
  readonly labelEvent: EventLabel;
  /** All sessions, whatever the filters. */
  readonly everySession: readonly Session[];
  /** Labels of all that is kept, as if the range were all of it. */
  readonly labelOfAll: Label;
}

/** Where a session came from whose events all came from pages of the site. */
const MIDWAY: Origin = { ...NOWHERE };

/** Returns whether a backend sent it: a step without a session. */
function isOfBackend(event: ReadEvent): boolean {
  return isStepOrAutomatic(event) && event.session === "";
}

/** Gives each step of a backend that names a user and no visitor to the visitor of that user's first event that has one. */
export function findVisitors(ofKey: readonly ReadEvent[]): readonly ReadEvent[] {
  const ordered = inOrder(ofKey).filter(({ visitor }) => visitor !== "");
  const find = (of: string): string => of === "" ? "" : ordered.find(({ user }) => user === of)?.visitor ?? "";
  return ofKey.map((event) =>
    isOfBackend(event) && event.visitor === "" ? { ...event, visitor: find(event.user) } : event
  );
}

/** Gives each step of a backend to the session that its visitor began last before it. */
function findVisits(events: readonly ReadEvent[]): readonly ReadEvent[] {
  const ofPages = inOrder(events.filter(({ session }) => session !== ""));
  const starts = ofPages.filter((event, index) =>
    ofPages.findIndex(({ session }) => session === event.session) === index
  );
  return events.map((event) => {
    if (!isOfBackend(event) || event.visitor === "") return event;
    const start = starts.findLast(({ visitor, time }) => visitor === event.visitor && time <= event.time);
    return { ...event, visit: start?.session ?? "" };
  });
}

// What a query chooses.

export function chooseOf(stored: readonly ReadEvent[], query: ReportQuery, locate: Locate): Chosen {
  const events = findVisits(stored.filter(({ site, traffic }) => site === query.site && traffic === query.traffic))
    .map((event) => ({ ...event, path: writePath(event.path, query.pathRules, locate) }));
  const sessions = new Map(
    [...new Set(events.map(({ session }) => session))].filter((session) => session !== "").map((
      session,
    ) => [session, buildSession(events.filter(({ visit }) => visit === session))]),
  );
  const ofSessionNames = ["entry", "exit", "step", "property", "goal", ...SOURCE_DIMENSIONS];
  const ofEvents = query.filters.filter(({ name }) => !ofSessionNames.includes(name));
  const ofSessions = query.filters.filter((filter) => !ofEvents.includes(filter));
  const labelEvent = createEventLabels(events, query);
  const fitsEvent = (event: ReadEvent): boolean =>
    ofEvents.every((filter) =>
      filter.name === "page"
        ? isPage(event.path, filter, query.pathRules)
        : filter.values.includes(labelEvent(event, filter.name as AudienceDimension))
    );
  const label = createLabels(events, query);
  const fitsSession = (session: Session): boolean =>
    ofSessions.every((filter) => holdsOfSession(session, filter, { ...query, label }));
  return {
    events: events.filter((event) => {
      if (event.kind === "aggregate" && query.filters.some(({ name }) => name !== "page")) return false;
      if (!fitsEvent(event)) return false;
      const session = sessions.get(event.visit);
      return ofSessions.length === 0 || (session !== undefined && fitsSession(session));
    }),
    sessions: [...sessions.values()].filter((session) => session.events.some(fitsEvent) && fitsSession(session)),
    label,
    labelEvent,
    everySession: [...sessions.values()],
    labelOfAll: createLabels(events, { ...query, from: -Infinity, to: Infinity }),
  };
}

function buildSession(ofVisit: readonly ReadEvent[]): Session {
  const events = inOrder(ofVisit.filter(({ session }) => session !== ""));
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) throw new Error("a session has an event");
  const views = events.filter(({ kind }) => kind === "pageview");
  const engagedMs = events.reduce((sum, event) => sum + event.engagedMs, 0);
  const isLanding = first.isArrival;
  const tagged = events.find(({ from: { referrer: _, ...tags } }) => Object.values(tags).some((tag) => tag !== ""));
  const referred = events.find(({ isArrival, from }) => isArrival || from.referrer !== "");
  return {
    events,
    added: ofVisit.filter(({ session }) => session === ""),
    startTime: first.time,
    lengthMs: events.length > 1 ? last.time - first.time : undefined,
    views: views.length,
    isLanding,
    isBounce: isLanding && views.length === 1 && !events.some(({ kind }) => kind === "step") && engagedMs < 10_000,
    entry: isLanding ? views[0]?.path : undefined,
    exit: views.at(-1)?.path,
    from: (tagged ?? referred)?.from ?? MIDWAY,
  };
}

function isPage(path: string, { values, patterns = [] }: ReportFilter, rules: ReportQuery["pathRules"]): boolean {
  return values.includes(path) ||
    patterns.some((pattern) => fitsPattern(path, pattern, { rules, locate: createLocator() }));
}

/** What people are listed under. */
type EventLabel = (event: ReadEvent, by: AudienceDimension) => string;

function createEventLabels(events: readonly ReadEvent[], { from }: ReportQuery): EventLabel {
  const firsts = new Map<string, number>();
  for (const { visitor, session, time } of events) {
    if (visitor !== "" && session !== "") firsts.set(visitor, Math.min(time, firsts.get(visitor) ?? Infinity));
  }
  return ({ visitor, visit, screen, user, dimensions }, by) => {
    if (by === "visitor") {
      if (visitor === "") return "";
      if ((firsts.get(visitor) ?? -Infinity) >= from) return "new";
      return visit === "" ? "" : "returning";
    }
    if (by === "screen") return screen;
    if (by === "signedIn") return user === "" ? "no" : "yes";
    return dimensions[by] ?? "";
  };
}

function holdsOfSession(
  session: Session,
  filter: ReportFilter,
  { pathRules, label }: Pick<ReportQuery, "pathRules"> & { readonly label: Label },
): boolean {
  const { name, values, key = "", step } = filter;
  const all = [...session.events, ...session.added];
  const steps = all.filter(isStepOrAutomatic);
  switch (name) {
    case "entry":
      return session.entry === undefined ? values.includes("") : isPage(session.entry, filter, pathRules);
    case "exit":
      return session.exit !== undefined && isPage(session.exit, filter, pathRules);
    case "step":
      return steps.some((event) => values.includes(event.name));
    case "property":
      return steps.some((event) =>
        (step === undefined || event.name === step) && event.properties.has(key) &&
        values.includes(JSON.stringify(event.properties.get(key)))
      );
    case "goal":
      return all.some((event) => filter.events?.some((one) => isSame(event, one, pathRules)));
    default:
      return values.includes(label(session.from, name as SourceDimension));
  }
}

/** What a source is listed under. */
type Label = (from: Origin, by: SourceDimension) => string;

/** Of too many sources, the channels of the most frequent are told. */
function createLabels(events: readonly ReadEvent[], { from, to, ownOrigins }: ReportQuery): Label {
  const nameOf = ({ referrer, source, medium, campaign }: Origin): string =>
    JSON.stringify([referrer, source, medium, campaign === "" ? 0 : 1]);
  const counts = new Map<string, { readonly origin: Origin; count: number }>();
  for (const event of events.filter(({ time }) => isWithin(time, from, to))) {
    const { from: origin } = event;
    if (origin.referrer + origin.source + origin.medium + origin.campaign === "") continue;
    const known = counts.get(nameOf(origin)) ?? { origin, count: 0 };
    known.count += 1;
    counts.set(nameOf(origin), known);
  }
  const ranked = [...counts.values()].sort((one, other) =>
    other.count - one.count || compareText(one.origin.referrer, other.origin.referrer) ||
    compareText(one.origin.source, other.origin.source) || compareText(one.origin.medium, other.origin.medium) ||
    (one.origin.campaign === "" ? 0 : 1) - (other.origin.campaign === "" ? 0 : 1)
  );
  const told = new Set(ranked.slice(0, 10_000).map(({ origin }) => nameOf(origin)));
  return (origin, by) =>
    by === "channel" && ranked.length > 10_000 && !told.has(nameOf(origin)) && nameOf(origin) !== '["","","",0]'
      ? "Other"
      : labelOf(origin, by, ownOrigins);
}

function labelOf(from: Origin, by: SourceDimension, ownOrigins: readonly string[]): string {
  const referrer = ownOrigins.includes(from.referrer) ? "" : from.referrer;
  if (from === MIDWAY) return by === "channel" ? "Joined midway" : "";
  if (by === "channel") {
    return findChannel({ referrer, source: from.source, medium: from.medium, campaign: from.campaign });
  }
  if (by === "referrer") return referrer;
  if (by === "source" && from.source === "") return referrer;
  return from[by];
}
