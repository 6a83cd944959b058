import { checkBody } from "../../src/ingest/http/read_batch.ts";
import { KEEPALIVE_BUDGET_BYTES, MAX_EXIT_REQUESTS } from "../../src/client/base/limits.ts";
import { toIsoTimestamp } from "../../src/client/platform/time.ts";
import type { StepEvent } from "../../mod.ts";
import type { Captured } from "./ledger.ts";
import { endpointOf, keyOf, type Tab } from "./tab.ts";
import { elapsed, pathOfView, type World } from "./world.ts";
import type { TransportRequest } from "../../src/client/mod.ts";

/** What is known of a request. */
export interface Sent {
  /** Where it went. */
  readonly url: string;
  /** Its `batchId`. */
  readonly batchId: string;
  /** Whether it holds aggregates. */
  readonly isAggregate: boolean;
  /** Its events, as far as they were captured in full. */
  readonly events: readonly Captured[];
  /** How many events it has. */
  readonly amount: number;
  /** How often its page had started anew: a refusal of what a page sent before doesn't stop it. */
  readonly restarts: number;
}

/** What a batch was when it was first sent. */
interface Contents {
  readonly tab: number;
  readonly ids: readonly string[];
  readonly headers: string;
}

/** Holds requests against the rules, across all pages of a world. */
export interface RequestRules {
  /** Judges a request as it leaves. */
  judge(tab: Tab, request: TransportRequest): Sent;
}

/** Creates the rules of a world that sent nothing yet. */
export function createRequestRules(world: World): RequestRules {
  const { ledger, statistics, violations } = world;
  const batches = new Map<string, Contents>();
  const texts = new Map<string, string>();
  const views = new Map<string, Set<string>>();

  const judgeConsent = (tab: Tab, isAggregate: boolean): void => {
    const consent = tab.client.getConsent();
    if (tab.phase === "prerendering") violations.push("a request while prerendering");
    if (consent === "denied") violations.push("a request after denied");
    if (consent === "pending" && !isAggregate && !tab.isChanging) violations.push("a full request while pending");
  };
  const judgeLink = (tab: Tab, request: TransportRequest): void => {
    const { inFlight } = tab;
    if (tab.isLight) violations.push("a request in the page's own task");
    if (tab.isStopped) violations.push("a request after the ingest turned the key away");
    if (elapsed(world) < tab.heldUntilMs) violations.push("a request before Retry-After was over");
    const sizeOf = ({ body }: TransportRequest): number => new TextEncoder().encode(body).length;
    const bytes = [...inFlight].reduce((sum, other) => sum + sizeOf(other), sizeOf(request));
    const isSingle = [...inFlight, request].every(({ keepalive }) => keepalive);
    const isInBudget = inFlight.size < MAX_EXIT_REQUESTS && bytes <= KEEPALIVE_BUDGET_BYTES;
    if (inFlight.size && !(isSingle && isInBudget)) violations.push("a request beside another one");
  };
  const judgeBatch = (tab: Tab, { headers, body }: TransportRequest): void => {
    const { batchId, events } = JSON.parse(body);
    const sent = { tab: tab.number, ids: events.map(({ id }: StepEvent) => id), headers: JSON.stringify(headers) };
    const before = batches.get(batchId) ?? sent;
    batches.set(batchId, before);
    if (before !== sent) statistics.count("seen: a batch sent again");
    // A page that crashed, or was turned away, may have saved the batch before its last second. One that is hidden and
    // lives on may go on with a batch that another page adopted meanwhile.
    const isCopy = tab.number !== before.tab || sent.ids.some((id: string) => wasTurnedAway(id));
    const [long, short] = [before, sent].map(({ ids }) => ids.join()).sort((a, b) => b.length - a.length);
    const isSame = sent.ids.join() === before.ids.join() || (isCopy && long?.startsWith(`${short}`));
    // Where storage refuses, or leases lapse early, another page may send such a copy first.
    const isExact = !world.isDisturbed && !world.isClockChanged;
    if (isExact && !(isSame && sent.headers === before.headers)) violations.push(`batch ${batchId} changed`);
  };
  const wasTurnedAway = (id: string): boolean => ledger.events.some((event) => event.id === id && event.reason);
  const judgeView = ({ id, context }: StepEvent): string => {
    const path = pathOfView(context);
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
    if (captured.acknowledged.has(`${tab.number} ${batchId}`) && !captured.hasCopy && isAlone) {
      violations.push(`${key} was sent after it was acknowledged`);
    }
    const { pageTitle = "" } = event.context ?? {};
    if (!captured.titles.includes(pageTitle)) violations.push(`${key} has the title "${pageTitle}"`);
    const { userId = null } = event.identity ?? {};
    const isKnown = captured.users.includes(userId) || (userId === null && world.hasCleared) || world.isDisturbed;
    if (!isKnown) violations.push(`${key} names ${userId}, not ${captured.users}`);
    return captured;
  };
  return {
    judge(tab, request) {
      const { url, body: text, keepalive } = request;
      const { batchId } = JSON.parse(text);
      const { restarts } = tab;
      statistics.count(keepalive ? "seen: a request with keepalive" : "seen: a request without keepalive");
      const checked = checkBody(new TextEncoder().encode(text));
      if ("status" in checked) {
        violations.push(`an invalid body: ${JSON.stringify(checked)}`);
        return { url, batchId, isAggregate: false, events: [], amount: 0, restarts };
      }
      const { collection, payload: { events } } = checked;
      const isAggregate = collection === "aggregate";
      judgeConsent(tab, isAggregate);
      judgeLink(tab, request);
      judgeBatch(tab, request);
      for (const event of events) {
        const eventText = JSON.stringify(event);
        if ((texts.get(event.id) ?? eventText) !== eventText) violations.push(`event ${event.id} changed`);
        texts.set(event.id, eventText);
      }
      if (isAggregate) {
        statistics.count("seen: an aggregate request");
        for (const event of events) judgeView(event);
        return { url, batchId, isAggregate, events: [], amount: events.length, restarts };
      }
      const captured = events.flatMap((event) => judgeFull(tab, event, request) ?? []);
      return { url, batchId, isAggregate, events: captured, amount: events.length, restarts };
    },
  };
}
