/**
 * The reports counted the plain way: loops over all events, once for every number. It shares no code with the stores, but for
 * how a URL is cut up and written, and the tables of hosts. It is what the stores are compared with.
 *
 * @module
 */
import { findChannel, isWaypoint } from "../../../src/ingest/events/channels.ts";
import { cleanLabel, createLocator } from "../../../src/ingest/events/place.ts";
import type { PathRules } from "../../../src/ingest/events/path_rules.ts";
import type { StoredEvent } from "../../../src/ingest/events/stored_event.ts";
import type {
  CohortCounts,
  CountedEvent,
  EventTotals,
  Funnel,
  FunnelEvent,
  FunnelStage,
  Listed,
  NumberCounts,
  OverviewCounts,
  PageCounts,
  ReportFilter,
  ReportQuery,
  ReportReader,
  SourceCounts,
  SourceDimension,
  StepCounts,
  StepValues,
  Traffic,
  ValueCounts,
  ViewCounts,
  ViolationRow,
  VisitCounts,
} from "../../../src/ingest/ports/reader.ts";

/** Cuts up URLs, each once. */
type Locate = ReturnType<typeof createLocator>;

type Scalar = string | number | boolean | null;

const TAGS = ["source", "medium", "campaign", "term", "content"] as const;

/** Where an event came from; a text is empty where it says nothing. */
export type Origin = Readonly<Record<typeof TAGS[number] | "referrer", string>>;

const AD_CLICKS = [
  ...[["gclid", "google"], ["gbraid", "google"], ["wbraid", "google"], ["msclkid", "bing"], ["ttclid", "tiktok"]],
  ...[["twclid", "twitter"], ["li_fat_id", "linkedin"], ["rdt_cid", "reddit"], ["yclid", "yandex"]],
] as const;

const NOWHERE: Origin = { referrer: "", source: "", medium: "", campaign: "", term: "", content: "" };

/** What is read of an event. */
export interface ReadEvent {
  readonly site: string;
  readonly path: string;
  readonly time: number;
  /** Place in its batch, and id. */
  readonly place: number;
  readonly id: string;
  readonly kind: "aggregate" | "pageview" | "step" | "automatic";
  readonly name: string;
  readonly isArrival: boolean;
  readonly from: Origin;
  readonly session: string;
  /** The session that it belongs to: its own, or, of a backend's step, the last that its visitor began before. Empty for none. */
  readonly visit: string;
  /** Of a backend's step that names a user alone, the visitor of that user's first event that has one. */
  readonly visitor: string;
  readonly user: string;
  /** Empty for none. */
  readonly screen: string;
  readonly engagedMs: number;
  readonly properties: ReadonlyMap<string, Scalar>;
  /** How it breaks the plan, a space, and its name; empty for one that doesn't. */
  readonly violation: string;
  readonly traffic: Traffic;
}

interface Session {
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
interface Chosen {
  readonly events: readonly ReadEvent[];
  readonly sessions: readonly Session[];
  readonly label: Label;
  /** All sessions, whatever the filters. */
  readonly everySession: readonly Session[];
  /** Labels of all that is kept, as if the range were all of it. */
  readonly labelOfAll: Label;
}

/** Creates a store that counts what the function returns for a key: its events, each once, in any order. */
export function createReferenceStore(eventsOf: (apiKey: string) => readonly StoredEvent[]): ReportReader {
  const locate = createLocator();
  const read = new WeakMap<StoredEvent, ReadEvent>();
  const readOnce = (event: StoredEvent): ReadEvent => {
    const known = read.get(event) ?? readEvent(event, locate);
    read.set(event, known);
    return known;
  };
  const choose = (query: ReportQuery): Chosen =>
    chooseOf(findVisitors(eventsOf(query.apiKey).map(readOnce)), query, locate);
  const chooseVisitors = (query: ReportQuery): readonly ReadEvent[] =>
    choose({ ...query, filters: [] }).events.filter(({ kind, visitor }) => kind !== "aggregate" && visitor !== "");
  /** A visitor is there by an event of a page. */
  const chooseSeen = (query: ReportQuery): readonly ReadEvent[] =>
    chooseVisitors(query).filter(({ session }) => session !== "");
  return {
    overview(query, bounds) {
      const chosen = choose(query);
      const parts = bounds.slice(1).map((to, index) => countVisits(chosen, bounds[index] ?? 0, to));
      return Promise.resolve({ total: countOverview(chosen, query), parts });
    },
    countFlagged({ apiKey, site, from, to }) {
      const views = eventsOf(apiKey).map(readOnce)
        .filter((event) => event.site === site && isWithin(event.time, from, to) && isView(event));
      const count = (traffic: Traffic): ViewCounts => countViews(views.filter((event) => event.traffic === traffic));
      return Promise.resolve({ bots: count("bots"), own: count("own") });
    },
    pages: (query, rows) => Promise.resolve(countPages(choose(query), query, rows)),
    sources: (query, grouping, rows) => Promise.resolve(countSources(choose(query), query, { ...grouping, rows })),
    steps: (query, rows) => Promise.resolve(countSteps(choose(query), query, rows)),
    stepValues: (query, { step, key }, rows) => {
      const steps = choose(query).events.filter((event) =>
        isStepOrAutomatic(event) && isWithin(event.time, query.from, query.to) && event.name === step
      );
      return Promise.resolve(countValues(steps, key, rows));
    },
    countEvents(query, events, bounds) {
      const chosen = choose(query).events;
      const count = (counted: CountedEvent, from: number, to: number): EventTotals =>
        countTotals(chosen.filter(({ time }) => isWithin(time, from, to)), counted, query.pathRules);
      return Promise.resolve(events.map((counted) => ({
        total: count(counted, query.from, query.to),
        parts: bounds.slice(1).map((to, index) => count(counted, bounds[index] ?? 0, to)),
      })));
    },
    funnel: (query, funnel) => Promise.resolve(countFunnel(choose(query), query, funnel)),
    retention(anyTime, { bounds, returns: ways }) {
      const query = { ...anyTime, from: -Infinity, to: Infinity };
      const seen = chooseSeen(query);
      const returns = ways === undefined
        ? seen
        : chooseVisitors(query).filter((event) => ways.some((way) => isSame(event, way, query.pathRules)));
      return Promise.resolve(countCohorts(findChosenFirst(seen, choose(query)), returns, bounds));
    },
    acceptance(query, bounds) {
      const chosen = choose(query);
      const firsts = findChosenFirst(chooseSeen(query), chosen);
      const before = chosen.events.filter(({ kind, isArrival }) => kind === "aggregate" && isArrival);
      return Promise.resolve(
        bounds.slice(1).map((to, index) => {
          const isIn = ({ time }: ReadEvent): boolean => isWithin(time, bounds[index] ?? 0, to);
          const newly = firsts.filter(isIn);
          return {
            newlyConsented: newly.length,
            arrivalsBeforeChoice: before.filter(isIn).length + newly.filter(({ isArrival }) => isArrival).length,
          };
        }),
      );
    },
    violations(query, rows) {
      const chosen = choose(query).events.filter(({ time, violation }) =>
        violation !== "" && isWithin(time, query.from, query.to)
      );
      const labels = [...new Set(chosen.map(({ violation }) => violation))];
      return Promise.resolve(list(
        labels.map((label) => ({
          label,
          count: chosen.filter(({ violation }) => violation === label).length,
        })),
        rows,
        (one, other) => other.count - one.count || compareText(one.label, other.label),
      )).then(({ rows, count, other }) => ({
        rows: rows.map(({ label, count }) => ({
          kind: label.split(" ", 1)[0] as ViolationRow["kind"],
          name: label.slice(label.indexOf(" ") + 1),
          count,
        })),
        count,
        other,
      }));
    },
    sites(apiKey) {
      const sites = eventsOf(apiKey).map((event) => readEvent(event).site).filter((site) => site !== "");
      const count = (site: string): number => sites.filter((one) => one === site).length;
      return Promise.resolve(
        [...new Set(sites)].toSorted((one, other) => count(other) - count(one) || compareText(one, other)),
      );
    },
    countPageviews: (apiKey, month) =>
      Promise.resolve(
        eventsOf(apiKey).filter(({ name, receivedAt }) => name === "$pageview" && receivedAt.startsWith(month)).length,
      ),
    lastTime({ apiKey, site }) {
      const times = eventsOf(apiKey).map((event) => readEvent(event)).filter((event) => event.site === site)
        .map(({ time }) => time);
      return Promise.resolve(times.length === 0 ? undefined : Math.max(...times));
    },
    person({ apiKey, site, ...of }, rows) {
      const isTheirs = ({ collection, identity }: StoredEvent): boolean =>
        collection === "full" &&
        ("userId" in of ? identity?.userId === of.userId : identity?.anonymousId === of.anonymousId);
      const events = eventsOf(apiKey).filter(isTheirs).map((stored) => ({ stored, ...readEvent(stored) }))
        .filter((event) => event.site === site);
      return Promise.resolve(inOrder(events).reverse().slice(0, rows).map(({ stored }) => stored));
    },
    progress: () => Promise.resolve(1),
    close: () => Promise.resolve(),
  };
}

// What an event says.

/** Reads an event. */
export function readEvent(event: StoredEvent, locate: Locate = createLocator()): ReadEvent {
  const { id, name, collection, timestamp, sessionId, identity, context, properties } = event;
  const isFull = collection === "full";
  const page = locate(context?.pageUrl ?? "");
  const referrer = locate(context?.referrer ?? "").origin;
  const isView = name === "$pageview";
  const site = page.origin || (event.site ?? "");
  const isOwn = referrer === site;
  return {
    site: shorten(site, 512),
    path: shorten(page.path, 512),
    time: new Date(timestamp).getTime() + (event.clockOffsetMs ?? 0),
    place: event.place ?? 0,
    id,
    kind: isView ? (isFull ? "pageview" : "aggregate") : name[0] === "$" ? "automatic" : "step",
    name: shorten(name, 512),
    isArrival: isView && (site === "" || !isOwn),
    from: readOrigin(context?.pageUrl ?? "", isOwn || isWaypoint(referrer) ? "" : shorten(referrer, 512)),
    session: isFull ? shorten(sessionId ?? "", 512) : "",
    visit: isFull ? shorten(sessionId ?? "", 512) : "",
    visitor: isFull ? shorten(identity?.anonymousId ?? "", 512) : "",
    user: isFull ? shorten(identity?.userId ?? "", 512) : "",
    screen: readScreen(context?.screenWidth ?? 0),
    engagedMs: name === "$engagement" ? readEngagement(properties?.engagedMs) : 0,
    properties: readProperties(properties ?? {}),
    violation: event.violation === undefined ? "" : cleanLabel(`${event.violation} ${name}`),
    traffic: event.flag === "bot" ? "bots" : event.flag ?? "people",
  };
}

function shorten(text: string, units: number): string {
  return cleanLabel(text).slice(0, units).toWellFormed();
}

function readOrigin(pageUrl: string, referrer: string): Origin {
  const nothing = { ...NOWHERE, referrer };
  if (!URL.canParse(pageUrl)) return nothing;
  const { searchParams } = new URL(pageUrl);
  const tags = TAGS.map((tag) => [tag, shorten(searchParams.get(`utm_${tag}`) ?? "", 512)] as const);
  const origin: Origin = { ...nothing, ...Object.fromEntries(tags) };
  const network = AD_CLICKS.find(([parameter]) => (searchParams.get(parameter) ?? "") !== "")?.[1];
  if (network !== undefined) {
    return { ...origin, source: origin.source || network, medium: origin.medium || "cpc" };
  }
  return origin;
}

function readScreen(width: number): string {
  if (!(width > 0)) return "";
  if (width < 576) return "phone";
  if (width < 992) return "tablet";
  return width < 1440 ? "laptop" : "desktop";
}

function readEngagement(ms: unknown): number {
  return typeof ms === "number" && Number.isFinite(ms) && ms > 0 ? Math.min(Math.round(ms), 24 * 60 * 60 * 1000) : 0;
}

function readProperties(properties: Readonly<Record<string, unknown>>): ReadonlyMap<string, Scalar> {
  const read = new Map<string, Scalar>();
  for (const [key, value] of Object.entries(properties).slice(0, 50)) {
    const name = shorten(key, 200);
    // Of two long names that are the same once they are cut, the first counts.
    if (read.has(name)) continue;
    if (typeof value === "string") read.set(name, shorten(value, 200));
    if (typeof value === "number" && Number.isFinite(value)) read.set(name, value);
    if (typeof value === "boolean" || value === null) read.set(name, value);
  }
  return read;
}

function writePath(path: string, rules: PathRules, locate: Locate): string {
  const { patterns, dropsTrailingSlash, ignoresCase } = rules;
  const drop = (text: string): string =>
    dropsTrailingSlash && text !== "/" && text.endsWith("/") ? text.slice(0, -1) : text;
  const written = drop(ignoresCase ? lower(path) : path);
  return patterns.find((pattern) => fitsPattern(written, pattern, { rules, locate })) ?? written;
}

/** The digits of a byte behind a % are capitals. */
function lower(text: string): string {
  return text.replace(/%[0-9A-F]{2}|./g, (part) => part.length > 1 ? part : part.toLowerCase());
}

function fitsPattern(
  written: string,
  pattern: string,
  { rules: { dropsTrailingSlash, ignoresCase }, locate }: { readonly rules: PathRules; readonly locate: Locate },
): boolean {
  const isLike = (one: string, other: string): boolean => ignoresCase ? lower(one) === lower(other) : one === other;
  const encoded = pattern.startsWith("/") ? locate(`https://site.example${pattern}`).path : pattern;
  const isLong = dropsTrailingSlash && encoded !== "/" && encoded.endsWith("/");
  return fits(written.split("/"), (isLong ? encoded.slice(0, -1) : encoded).split("/"), isLike);
}

function fits(
  segments: readonly string[],
  pattern: readonly string[],
  isLike: (one: string, other: string) => boolean,
): boolean {
  const [head, ...heads] = pattern;
  const [segment, ...rest] = segments;
  if (head === undefined) return segment === undefined;
  const isLast = heads.length === 0;
  if (isLast && head.endsWith("*")) {
    const start = head.replace(/\*+$/, "");
    return segment !== undefined && isLike(segments.join("/").slice(0, start.length), start);
  }
  if (head === "**") return segments.some((_, index) => fits(segments.slice(index), heads, isLike));
  if (segment === undefined || !fits(rest, heads, isLike)) return false;
  if (head === "*" || (head.length > 1 && head.startsWith(":"))) return segment !== "";
  const [start = "", end] = head.split("*");
  if (end === undefined) return isLike(segment, head);
  return segment.length >= start.length + end.length && isLike(segment.slice(0, start.length), start) &&
    (end === "" || isLike(segment.slice(-end.length), end));
}

/** Returns whether a backend sent it: a step without a session. */
function isOfBackend(event: ReadEvent): boolean {
  return isStepOrAutomatic(event) && event.session === "";
}

/** Gives each step of a backend that names a user and no visitor to the visitor of that user's first event that has one. */
function findVisitors(ofKey: readonly ReadEvent[]): readonly ReadEvent[] {
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

function chooseOf(stored: readonly ReadEvent[], query: ReportQuery, locate: Locate): Chosen {
  const events = findVisits(stored.filter(({ site, traffic }) => site === query.site && traffic === query.traffic))
    .map((event) => ({ ...event, path: writePath(event.path, query.pathRules, locate) }));
  const sessions = new Map(
    [...new Set(events.map(({ session }) => session))].filter((session) => session !== "").map((
      session,
    ) => [session, buildSession(events.filter(({ visit }) => visit === session))]),
  );
  const ofEvents = query.filters.filter(({ name }) => name === "page" || name === "screen" || name === "signedIn");
  const ofSessions = query.filters.filter((filter) => !ofEvents.includes(filter));
  const fitsEvent = (event: ReadEvent): boolean => ofEvents.every((filter) => holdsOfEvent(event, filter));
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
  const tagged = events.find(({ from }) => from.source !== "");
  const referred = events.find(({ from }) => from.referrer !== "");
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
    from: (tagged ?? referred)?.from ?? NOWHERE,
  };
}

function holdsOfEvent(event: ReadEvent, { name, values }: ReportFilter): boolean {
  if (name === "page") return values.includes(event.path);
  if (name === "screen") return event.screen !== "" && values.includes(event.screen);
  return values.includes(event.user === "" ? "no" : "yes");
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
      return session.entry !== undefined && values.includes(session.entry);
    case "exit":
      return session.exit !== undefined && values.includes(session.exit);
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
  if (by === "channel") {
    return findChannel({ referrer, source: from.source, medium: from.medium, campaign: from.campaign });
  }
  if (by === "referrer") return referrer;
  if (by === "source" && from.source === "") return referrer;
  return from[by];
}

function inOrder<T extends Pick<ReadEvent, "time" | "place" | "id">>(events: readonly T[]): T[] {
  return events.toSorted((one, other) =>
    one.time - other.time || one.place - other.place || compareText(one.id, other.id)
  );
}

function isStepOrAutomatic({ kind }: ReadEvent): boolean {
  return kind === "step" || kind === "automatic";
}

function isWithin(time: number, from: number, to: number): boolean {
  return time >= from && time < to;
}

// What is counted of it.

function countVisits({ events, sessions }: Chosen, from: number, to: number): VisitCounts {
  const within = events.filter(({ time }) => isWithin(time, from, to));
  const full = within.filter(({ kind }) => kind !== "aggregate");
  const started = sessions.filter(({ startTime }) => isWithin(startTime, from, to));
  const landings = started.filter(({ isLanding }) => isLanding);
  return {
    pageviews: countViews(within),
    visitors: countDistinct(full.filter(({ session }) => session !== "").map(({ visitor }) => visitor)),
    users: countDistinct(full.map(({ user }) => user)),
    sessions: started.length,
    landings: landings.length,
    landingViews: landings.reduce((sum, { views }) => sum + views, 0),
    bounces: landings.filter(({ isBounce }) => isBounce).length,
    instantSessions:
      started.filter(({ events: all, startTime }) =>
        all.every(({ kind, time }) => kind === "pageview" && time === startTime)
      ).length,
  };
}

function countOverview(chosen: Chosen, { from, to }: ReportQuery): OverviewCounts {
  const lengths = chosen.sessions.filter(({ startTime }) => isWithin(startTime, from, to))
    .flatMap(({ lengthMs }) => lengthMs ?? []);
  return { ...countVisits(chosen, from, to), medianSessionMs: rank(lengths, 50) ?? null };
}

function countPages({ events, sessions }: Chosen, { from, to }: ReportQuery, rows: number): Listed<PageCounts> {
  const views = events.filter((event) => isView(event) && isWithin(event.time, from, to));
  const started = sessions.filter(({ startTime }) => isWithin(startTime, from, to));
  const pages = [...new Set(views.map(({ path }) => path))].map((path): PageCounts => {
    const ofPath = views.filter((event) => event.path === path);
    const entries = started.filter(({ entry }) => entry === path);
    return {
      path,
      views: countViews(ofPath),
      visitors: countDistinct(ofPath.map(({ visitor }) => visitor)),
      entries: entries.length,
      exits: started.filter(({ exit }) => exit === path).length,
      bounces: entries.filter(({ isBounce }) => isBounce).length,
      engagedMs: events.filter((event) => event.path === path && isWithin(event.time, from, to))
        .reduce((sum, event) => sum + event.engagedMs, 0),
    };
  });
  return list(pages, rows, (one, other) => sum(other.views) - sum(one.views) || compareText(one.path, other.path));
}

function countSources(
  { events, sessions, label, everySession, labelOfAll }: Chosen,
  { from, to }: ReportQuery,
  { by, of = "session", rows }: Parameters<ReportReader["sources"]>[1] & { readonly rows: number },
): Listed<SourceCounts> {
  const isOfFirst = of === "first";
  const labelSource = isOfFirst ? labelOfAll : label;
  const arrivals = events.filter((event) => event.isArrival && isWithin(event.time, from, to))
    .filter(({ kind }) => kind !== "aggregate" || !isOfFirst);
  const started = sessions.filter(({ startTime }) => isWithin(startTime, from, to));
  const labelOwn = ({ entry, from }: Session): string => by === "landing" ? entry ?? "" : labelSource(from, by);
  const firsts = isOfFirst ? findFirstSessions(everySession) : new Map<string, Session>();
  const labelSession = (session: Session): string => labelOwn(firsts.get(visitorOf(session)) ?? session);
  const labelView = ({ path, from, visitor }: ReadEvent): string => {
    const first = firsts.get(visitor);
    if (first !== undefined) return labelOwn(first);
    return by === "landing" ? path : labelSource(from, by);
  };
  const labels = [...arrivals.map(labelView), ...started.map(labelSession)];
  const sources = [...new Set(labels)].map((label): SourceCounts => {
    const ofLabel = started.filter((session) => labelSession(session) === label);
    return {
      label: label === "" ? null : label,
      views: countViews(arrivals.filter((event) => labelView(event) === label)),
      sessions: ofLabel.length,
      visitors: countDistinct(ofLabel.map(visitorOf)),
      landings: ofLabel.filter(({ isLanding }) => isLanding).length,
      bounces: ofLabel.filter(({ isBounce }) => isBounce).length,
    };
  });
  return list(
    sources,
    rows,
    (one, other) =>
      other.sessions - one.sessions || sum(other.views) - sum(one.views) ||
      compareText(one.label ?? "", other.label ?? ""),
  );
}

/** Returns the visitor of the first event; empty for none. */
function visitorOf({ events }: Session): string {
  return events[0]?.visitor ?? "";
}

/** Returns the first session of each visitor. */
function findFirstSessions(sessions: readonly Session[]): ReadonlyMap<string, Session> {
  const firstEvents = inOrder(sessions.flatMap(({ events }) => events[0] ?? []));
  return new Map(
    sessions.filter((session) => {
      const visitor = visitorOf(session);
      return visitor !== "" && session.events[0] === firstEvents.find((event) => event.visitor === visitor);
    }).map((session) => [visitorOf(session), session]),
  );
}

function countSteps({ events }: Chosen, { from, to }: ReportQuery, rows: number): Listed<StepCounts> {
  const steps = events.filter((event) => isStepOrAutomatic(event) && isWithin(event.time, from, to));
  const counts = [...new Set(steps.map(({ name }) => name))].map((name): StepCounts => {
    const ofName = steps.filter((event) => event.name === name);
    return { name, count: ofName.length, visitors: countDistinct(ofName.map(({ visitor }) => visitor)) };
  });
  return list(counts, rows, (one, other) => other.count - one.count || compareText(one.name, other.name));
}

function countValues(steps: readonly ReadEvent[], key: string | undefined, rows: number): StepValues {
  const names = [...new Set(steps.flatMap(({ properties }) => [...properties.keys()]))];
  const keys = names.map((name) => ({ name, count: steps.filter(({ properties }) => properties.has(name)).length }))
    .sort((one, other) => other.count - one.count || compareText(one.name, other.name))
    .slice(0, 50).map(({ name }) => name);
  const having = key === undefined ? [] : steps.flatMap(({ properties, visitor }) => {
    const value = properties.get(key);
    return value === undefined ? [] : [{ value, json: JSON.stringify(value), visitor }];
  });
  const values = [...new Set(having.map(({ json }) => json))].map((json) => {
    const ofValue = having.filter((one) => one.json === json);
    const counts: ValueCounts = {
      value: JSON.parse(json),
      count: ofValue.length,
      visitors: countDistinct(ofValue.map(({ visitor }) => visitor)),
    };
    return { json, counts };
  });
  values.sort((one, other) => other.counts.count - one.counts.count || compareText(one.json, other.json));
  return {
    keys,
    values: values.slice(0, rows).map(({ counts }) => counts),
    distinct: values.length,
    other: sumAll(values.slice(rows).map(({ counts: { count } }) => ({ count }))),
    numbers: countNumbers(having.flatMap(({ value }) => typeof value === "number" ? value : [])),
  };
}

function countNumbers(numbers: readonly number[]): NumberCounts | null {
  const [median, p90] = [rank(numbers, 50), rank(numbers, 90)];
  if (median === undefined || p90 === undefined) return null;
  return { count: numbers.length, sum: numbers.reduce((total, number) => total + number, 0), median, p90 };
}

// Ways.

/** What a way is made of, and the numbers of the stages that it can pass. */
interface Point {
  readonly time: number;
  readonly passes: readonly number[];
}

function countFunnel({ events }: Chosen, { from, to, pathRules }: ReportQuery, funnel: Funnel): readonly FunnelStage[] {
  const { stages, within, order } = funnel;
  const points = inOrder(events).filter((event) => isWithin(event.time, from, to) && event.visitor !== "")
    .filter(({ kind, visit }) => kind !== "aggregate" && (within === "session" ? visit !== "" : true))
    .map((event) => ({ ...event, passes: listPassed(event, stages, pathRules) }))
    .filter(({ kind, passes }) => kind !== "automatic" || passes.length > 0);
  const best = [...new Set(points.map(({ visitor }) => visitor))].map((visitor) => {
    const theirs = points.filter((point) => point.visitor === visitor);
    const ways = theirs.filter(({ passes }) => passes.includes(0)).map((first) => {
      const later = theirs.slice(theirs.indexOf(first) + 1).filter(({ time, visit }) =>
        within === "session" ? visit === first.visit : time - first.time <= within
      );
      return walk(first, later, { count: stages.length, order });
    });
    return ways.toSorted((one, other) => other.length - one.length || compareTimes(one, other))[0] ?? [];
  });
  return stages.map((_, stage) => {
    const arrived = best.filter((way) => way.length > stage);
    const waits = stage === 0 ? [] : arrived.map((way) => (way[stage] ?? 0) - (way[stage - 1] ?? 0));
    return { visitors: arrived.length, medianMs: rank(waits, 50) ?? null };
  });
}

function listPassed(event: ReadEvent, stages: Funnel["stages"], rules: PathRules): readonly number[] {
  return stages.flatMap((alternatives, stage) => alternatives.some((one) => isSame(event, one, rules)) ? stage : []);
}

function isSame(event: ReadEvent, one: FunnelEvent, rules: PathRules): boolean {
  if ("page" in one) return event.kind === "pageview" && event.path === one.page;
  if ("pages" in one) {
    return event.kind === "pageview" && fitsPattern(event.path, one.pages, { rules, locate: createLocator() });
  }
  if (!isStepOrAutomatic(event) || event.name !== one.step) return false;
  if (one.property === undefined) return true;
  const { key, value } = one.property;
  return event.properties.has(key) && JSON.stringify(event.properties.get(key)) === value;
}

/** Returns when the stages are passed, of all the first to be passed without a gap. */
function walk(
  first: Point,
  later: readonly Point[],
  { count, order }: { readonly count: number; readonly order: Funnel["order"] },
): readonly number[] {
  if (order === "flexible") return walkFlexibly(first, later, count);
  const way = [first.time];
  let rest = later;
  for (let stage = 1; stage < count; stage++) {
    const place = rest.findIndex(({ passes }) => passes.includes(stage));
    const found = rest[place];
    if (found === undefined || (order === "strict" && place > 0)) break;
    way.push(found.time);
    rest = rest.slice(place + 1);
  }
  return way;
}

function walkFlexibly(first: Point, later: readonly Point[], count: number): readonly number[] {
  const times = new Map([[0, first.time]]);
  const last = count - 1;
  for (const { time, passes } of later) {
    // The last one is in reach once it alone is left.
    const stage = passes.find((one) => !times.has(one) && (one !== last || times.size === last));
    if (stage !== undefined) times.set(stage, time);
  }
  const way: number[] = [];
  for (let stage = 0; times.has(stage); stage++) {
    way.push(Math.max(...[...times].filter(([passed]) => passed <= stage).map(([, time]) => time)));
  }
  return way;
}

function compareTimes(one: readonly number[], other: readonly number[]): number {
  const stage = one.findIndex((time, index) => time !== other[index]);
  return stage < 0 ? 0 : (one[stage] ?? 0) - (other[stage] ?? 0);
}

function countTotals(events: readonly ReadEvent[], { event: one, sumOf }: CountedEvent, rules: PathRules): EventTotals {
  const counted = events.filter((event) => isSame(event, one, rules));
  const values = counted.flatMap(({ properties }) =>
    "step" in one && sumOf !== undefined ? properties.get(sumOf) ?? [] : []
  );
  return {
    count: counted.length,
    visitors: countDistinct(counted.map(({ visitor }) => visitor)),
    sum: values.reduce<number>((total, value) => typeof value === "number" ? total + value : total, 0),
  };
}

// Who comes back.

/** Returns the first event of each visitor. */
function findFirst(events: readonly ReadEvent[]): readonly ReadEvent[] {
  return inOrder(events).filter((event, index, all) =>
    all.findIndex(({ visitor }) => visitor === event.visitor) === index
  );
}

/** Returns the first event of each visitor, where it is chosen. */
function findChosenFirst(all: readonly ReadEvent[], chosen: Chosen): readonly ReadEvent[] {
  return findFirst(all).filter(({ id }) => chosen.events.some((event) => event.id === id));
}

function countCohorts(
  first: readonly ReadEvent[],
  returns: readonly ReadEvent[],
  bounds: readonly number[],
): readonly CohortCounts[] {
  const periods = bounds.slice(1).map((to, index) => ({ from: bounds[index] ?? 0, to }));
  return periods.map((period, index) => {
    const cohort = first.filter(({ time }) => isWithin(time, period.from, period.to)).map(({ visitor }) => visitor);
    const returned = periods.slice(index).map(({ from, to }) => {
      const seen = returns.filter(({ time }) => isWithin(time, from, to)).map(({ visitor }) => visitor);
      return cohort.filter((visitor) => seen.includes(visitor)).length;
    });
    return { from: period.from, size: cohort.length, returned };
  });
}

/** Returns the percentile by nearest rank; undefined of no numbers. */
function rank(numbers: readonly number[], percent: number): number | undefined {
  return numbers.toSorted((one, other) => one - other)[Math.ceil(numbers.length * percent / 100) - 1];
}

function isView({ kind }: ReadEvent): boolean {
  return kind === "pageview" || kind === "aggregate";
}

function countViews(events: readonly ReadEvent[]): ViewCounts {
  return {
    full: events.filter(({ kind }) => kind === "pageview").length,
    aggregate: events.filter(({ kind }) => kind === "aggregate").length,
  };
}

function countDistinct(ids: readonly string[]): number {
  return new Set(ids.filter((id) => id !== "")).size;
}

function sum({ full, aggregate }: ViewCounts): number {
  return full + aggregate;
}

function list<T extends object>(all: readonly T[], rows: number, compare: (one: T, other: T) => number): Listed<T> {
  const sorted = all.toSorted(compare);
  return { rows: sorted.slice(0, rows), count: all.length, other: sumAll(sorted.slice(rows)) };
}

/** Sums what adds up, field by field; null for no rows. */
function sumAll<T extends object>(rows: readonly T[]): Listed<T>["other"] {
  if (rows[0] === undefined) return null;
  const all = rows as readonly Readonly<Record<string, unknown>>[];
  const sums: Record<string, unknown> = {};
  for (const [name, first] of Object.entries(rows[0])) {
    const values = all.map((row) => row[name]);
    if (name === "views") sums[name] = sumAll(values as readonly ViewCounts[]);
    else if (typeof first === "number" && name !== "visitors") {
      sums[name] = values.reduce<number>((sum, value) => sum + Number(value), 0);
    }
  }
  return sums as Listed<T>["other"];
}

/** Compares texts by code points, as engines compare the bytes of UTF-8: the language compares units of UTF-16. */
function compareText(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
