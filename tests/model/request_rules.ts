import { parseBody } from "../../src/ingest/parse.ts";
import { validateBody } from "../../src/ingest/validate.ts";
import { toIsoTimestamp } from "../../src/environment/time.ts";
import type { StepEvent, TransportRequest } from "../../src/testing/mod.ts";
import type { Captured } from "./ledger.ts";
import { endpointOf, keyOf, type Tab } from "./tab.ts";
import { elapsed, type World } from "./world.ts";

/** Events this old aren't sent again. */
const MAX_AGE_MS = 7 * 86_400_000;

/** A request without an answer is given up after this time. */
const TIMEOUT_MS = 30_000;

/** What is known of a request. */
export interface Sent {
  /** Its events, as far as they were captured in full. */
  readonly events: readonly Captured[];
  /** How many events it has. */
  readonly amount: number;
}

/** Holds requests against the rules, across all pages of a world. */
export interface RequestRules {
  /** Judges a request as it leaves. */
  judge(tab: Tab, request: TransportRequest): Sent;
}

/** Creates the rules of a world that sent nothing yet. */
export function createRequestRules(world: World): RequestRules {
  const { ledger, statistics, violations } = world;
  const batches = new Map<string, string>();
  const texts = new Map<string, string>();
  const views = new Map<string, Set<string>>();

  const judgeConsent = (tab: Tab, isAggregate: boolean): void => {
    const consent = tab.client.getConsent();
    if (tab.phase === "prerendering") violations.push("a request while prerendering");
    if (consent === "denied") violations.push("a request after denied");
    if (consent === "pending" && !isAggregate && !tab.isChanging) violations.push("a full request while pending");
  };
  const judgeBatch = (text: string, { headers }: TransportRequest): void => {
    const { batchId, events } = JSON.parse(text);
    const contents = JSON.stringify([events, headers]);
    if (batches.has(batchId)) statistics.count("seen: a batch sent again");
    if ((batches.get(batchId) ?? contents) !== contents) violations.push(`batch ${batchId} changed`);
    batches.set(batchId, contents);
  };
  const judgeView = ({ id, context }: StepEvent): string => {
    const path = new URL(`${context?.pageUrl}`).pathname;
    const ids = views.get(path) ?? new Set();
    views.set(path, ids.add(id));
    if (ids.size > ledger.allowedViews(path)) violations.push(`${ids.size} pageviews of ${path}`);
    return path;
  };
  const judgeOrder = (tab: Tab, event: Captured, isFree: boolean): void => {
    // What leaves together at the page's exit has no order, and neither has what was adopted.
    if (isFree || world.isDisturbed || world.isClockChanged || event.tab !== tab.number || event.epoch !== tab.epoch) {
      return;
    }
    if (event.order < tab.lastOrder) violations.push(`${event.key} was sent after a later event`);
    tab.lastOrder = event.order;
  };
  const judgeFull = (tab: Tab, event: StepEvent, request: TransportRequest): Captured | undefined => {
    const key = event.name === "$pageview" ? judgeView(event) : event.name;
    const captured = ledger.find(key);
    if (event.name === "$pageview") {
      // Some of them nobody counts on: of a page that came back, say, or once more after a denial.
      if (!captured || toIsoTimestamp(captured.timeMs) !== event.timestamp) return;
      if (captured.id ? captured.id !== event.id : captured.isDenied) return;
      if (request.url !== endpointOf(captured.account)) return;
    }
    if (!captured) return void violations.push(`${key} was never captured`);
    if (captured.id && captured.id !== event.id) violations.push(`${key} has two ids`);
    const { account } = captured;
    if (request.url !== endpointOf(account) || request.headers["X-API-Key"] !== keyOf(account)) {
      violations.push(`${key} was sent to another account`);
    }
    // When a pageview is entered isn't when it's finished.
    if (!captured.id) judgeOrder(tab, captured, request.keepalive || event.name === "$pageview");
    else if (captured.tab !== tab.number) statistics.count("seen: an event sent by another page");
    captured.id = event.id;
    const { batchId } = JSON.parse(request.body);
    const isMoved = batchId !== (captured.batchId ?? batchId);
    captured.batchId = batchId;
    if (captured.isForbidden) violations.push(`${key} was sent after a denial`);
    // Where storage refuses, or leases lapse early, another page may have a copy.
    const isAlone = !world.isDisturbed && !world.isClockChanged;
    if (isMoved && isAlone && !captured.mayMove) violations.push(`${key} was sent in another batch`);
    if (captured.isAcknowledged && isAlone) violations.push(`${key} was sent after it was acknowledged`);
    // A pageview is taken a moment before it's finished, a batch may have begun before the clock was set back, and what
    // got no answer as the page was hidden is sent once more at once.
    const isRepeated = elapsed(world) - (captured.sentMs ?? -Infinity) <= TIMEOUT_MS;
    const isExact = event.name !== "$pageview" && !world.isClockSetBack && !isRepeated;
    captured.sentMs = elapsed(world);
    if (isExact && world.browser.now() - captured.timeMs > MAX_AGE_MS) violations.push(`${key} is too old`);
    return captured;
  };
  return {
    judge(tab, request) {
      const { body: text, keepalive } = request;
      statistics.count(keepalive ? "seen: a request with keepalive" : "seen: a request without keepalive");
      const parsed = parseBody(new TextEncoder().encode(text));
      const validation = "body" in parsed ? validateBody(parsed.body) : undefined;
      if (!validation || validation.collection === "none") {
        violations.push(`an invalid body: ${JSON.stringify(validation)}`);
        return { events: [], amount: 0 };
      }
      const { collection, payload: { events } } = validation;
      judgeConsent(tab, collection === "aggregate");
      judgeBatch(text, request);
      for (const event of events) {
        const eventText = JSON.stringify(event);
        if ((texts.get(event.id) ?? eventText) !== eventText) violations.push(`event ${event.id} changed`);
        texts.set(event.id, eventText);
      }
      if (collection === "aggregate") {
        statistics.count("seen: an aggregate request");
        for (const event of events) judgeView(event);
        return { events: [], amount: events.length };
      }
      const captured = events.flatMap((event) => judgeFull(tab, event, request) ?? []);
      return { events: captured, amount: events.length };
    },
  };
}
