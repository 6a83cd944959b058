import { attempt } from "../base/attempt.ts";
import { TIMEOUT_MS } from "../base/limits.ts";
import type { ResolvedConfig } from "../config.ts";
import type { Tell } from "../hooks.ts";
import {
  type Cancel,
  NO_ANSWER,
  type PageEnvironment,
  type TransportAnswer,
  UNSENDABLE,
} from "../platform/environment.ts";
import type { Batch } from "../base/batch.ts";
import { buildBody } from "./batch.ts";

/** End of a request. */
export interface Ending extends TransportAnswer {
  /** Why nothing can be sent any more; absent or empty where that isn't so. */
  readonly refusal?: string;
}

/** The requests under way. */
export interface InFlight {
  /** Returns what they carry, oldest first. */
  batches(): readonly Batch[];
  /** Sends a batch. */
  send(batch: Batch, keepalive: boolean): void;
  /** Aborts those requests that would die with the page, or all, and returns what they carry. */
  abort(isAll: boolean): readonly Batch[];
}

/** Parts that requests are made with. */
export interface InFlightParts {
  /** The configuration in force. */
  readonly config: ResolvedConfig;
  /** Hears of what is sent. */
  readonly tell: Tell;
}

/** A request under way. */
interface Request {
  readonly batch: Batch;
  /** Whether it outlives the page. */
  readonly keepalive: boolean;
  /** Aborts it. */
  readonly cancel: Cancel;
}

/**
 * Creates the requests of a page.
 *
 * @param onEnd Takes each answer.
 */
export const createInFlight: (
  parts: InFlightParts,
  page: PageEnvironment,
  onEnd: (batch: Batch, ending: Ending) => void,
) => InFlight = ((parts, page, onEnd) => {
  let requests: Request[] = [];
  return {
    batches: () => requests.map(({ batch }) => batch),
    send(batch, keepalive) {
      const { endpoint: url, apiKey } = parts.config;
      let cut: Cancel | undefined = undefined; // until send() returns
      const end = (ending?: Ending): void => {
        if (!requests.includes(request)) return;
        requests = requests.filter((each) => each !== request);
        if (ending) onEnd(batch, ending);
      };
      const cancel = (ending?: Ending): void => {
        stopWatching();
        cut?.();
        end(ending);
      };
      const request: Request = { batch, keepalive, cancel };
      // After a restore from the back/forward cache some requests never end, and some bodies never do.
      const stopWatching = page.setTimer(() => cancel({ status: NO_ANSWER }), TIMEOUT_MS);
      requests.push(request);
      cut = page.send({
        url,
        headers: { "Content-Type": "application/json", "X-API-Key": apiKey, "X-Vendor-SDK-Version": batch.version },
        body: buildBody(batch, page.now()),
        keepalive,
        priority: keepalive ? "auto" : "low",
      }, async (answer) => {
        const { status } = answer;
        let refusal = status === UNSENDABLE ? "invalid apiKey or endpoint" : "";
        if (status === 401 || status === 403) refusal = await readRefusal(answer);
        end({ ...answer, refusal });
        await answer.text; // one that doesn't end keeps a connection: over HTTP/1.1 browsers have six to a host
        stopWatching();
      });
      if (!requests.includes(request)) cut(); // the page's own fetch() has denied
      parts.tell({ type: "sent", batch });
    },
    abort: (isAll) =>
      requests.filter(({ keepalive }) => isAll || !keepalive).map(({ batch, cancel }) => {
        cancel();
        return batch;
      }),
  };
}) satisfies typeof createInFlight;

/**
 * Returns why the ingest takes nothing more, in its own words. Empty where the answer isn't the ingest's: a firewall refuses
 * a single request by what it contains.
 */
async function readRefusal({ status, text }: TransportAnswer): Promise<string> {
  const body = await text;
  const error = attempt(() => JSON.parse(`${body}`).error);
  return typeof error?.code === "string" ? `${status}: ${error.message}` : ""; // gateways repeat the status
}
