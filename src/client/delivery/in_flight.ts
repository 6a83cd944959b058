import { TIMEOUT_MS } from "../base/limits.ts";
import type { ResolvedConfig } from "../config.ts";
import type { Tell } from "../hooks.ts";
import { NO_ANSWER, type PageEnvironment, type TransportAnswer, UNSENDABLE } from "../platform/environment.ts";
import { type Batch, buildBody } from "./batch.ts";

/** A request under way. */
export interface Request {
  /** What it carries. */
  readonly batch: Batch;
  /** Whether it outlives the page. */
  readonly keepalive: boolean;
  /** Whether full collection, or its account, ended meanwhile: what of it fails is found on the device alone. */
  isReleased: boolean;
}

/** How a request ended. */
export interface Ending {
  /** The answer. */
  readonly answer: TransportAnswer;
  /** Why nothing can be sent any more; empty where that isn't so. */
  readonly refusal: string;
}

/** The requests under way. */
export interface InFlight {
  /** Returns them, oldest first. */
  requests(): readonly Request[];
  /** Sends a batch. */
  send(batch: Batch, keepalive: boolean): void;
  /** Aborts all requests, or those alone that would die with the page, and returns them. */
  abort(which: "all" | "mortal"): readonly Request[];
}

/** What requests are made with. */
export interface InFlightOptions {
  /** Returns the configuration in force. */
  readonly config: () => ResolvedConfig;
  /** Hears of what is sent. */
  readonly tell: Tell;
  /** Takes each answer. */
  readonly onEnd: (request: Request, ending: Ending) => void;
}

/** A request, and what aborts it. */
interface OpenRequest extends Request {
  readonly cancel: () => void;
}

/** Creates the requests of a page. */
export function createInFlight(page: PageEnvironment, { config, tell, onEnd }: InFlightOptions): InFlight {
  let open: readonly OpenRequest[] = [];
  const forget = (request: Request): void => {
    open = open.filter((each) => each !== request);
  };
  return {
    requests: () => open,
    send(batch, keepalive) {
      const { endpoint: url, apiKey } = config();
      const end = (answer: TransportAnswer, refusal = ""): void => {
        if (!open.includes(request)) return;
        forget(request);
        stopWatching();
        onEnd(request, { answer, refusal });
      };
      const cut = page.send({
        url,
        headers: { "Content-Type": "application/json", "X-API-Key": apiKey, "X-Vendor-SDK-Version": batch.version },
        body: buildBody(batch, page.now()),
        keepalive,
        priority: keepalive ? "auto" : "low",
      }, async (answer) => {
        const { status } = answer;
        if (status === UNSENDABLE) end(answer, "invalid apiKey or endpoint");
        else if (status === 401 || status === 403) end(answer, await readRefusal(answer));
        else end(answer);
      });
      // After a restore from the back/forward cache some requests never end.
      const stopWatching = page.setTimer(() => {
        cut(); // first: the next request leaves at the end of this one
        end({ status: NO_ANSWER });
      }, TIMEOUT_MS);
      const request: OpenRequest = {
        batch,
        keepalive,
        isReleased: false,
        cancel() {
          stopWatching();
          cut();
        },
      };
      open = [...open, request];
      tell({ type: "sent", batch });
    },
    abort(which) {
      const aborted = open.filter(({ keepalive }) => which === "all" || !keepalive);
      for (const request of aborted) {
        forget(request);
        request.cancel();
      }
      return aborted;
    },
  };
}

/**
 * Returns why the ingest takes nothing more, in its own words. Empty where the answer isn't the ingest's: a firewall refuses
 * a single request by what it contains.
 */
async function readRefusal({ status, text }: TransportAnswer): Promise<string> {
  try {
    const { code, message } = JSON.parse(`${await text}`).error;
    return typeof message === "string" && typeof code !== "number" ? `${status}: ${message}` : ""; // gateways repeat the status
  } catch {
    return ""; // no JSON, or no error in it
  }
}
