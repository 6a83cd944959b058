import {
  type Cancel,
  NO_ANSWER,
  type PageEnvironment,
  type TransportAnswer,
  type TransportRequest,
  UNSENDABLE,
} from "../client/platform/environment.ts";
import { utf8Length } from "../client/base/utf8.ts";
import type { Clock } from "./clock.ts";
import type { Network } from "./network.ts";
import { createTestRequest, type RequestControl, type TestRequest } from "./test_request.ts";

/** UTF-8 bytes of bodies that a page may have in flight with keepalive (Fetch standard, HTTP-network-or-cache fetch). */
const KEEPALIVE_QUOTA_BYTES = 65_536;

/** The requests of a page. */
export interface Transport {
  /** Every request of the page, oldest first. */
  readonly requests: readonly TestRequest[];
  /** Sends a request, in this task. */
  readonly send: PageEnvironment["send"];
  /** Puts a content security policy in force that blocks the URL. */
  block(url: string): void;
  /** The page goes away, for good or not: it hears no answer any more. Without keepalive a request doesn't outlive it. */
  leave(isForGood: boolean): void;
  /** The page comes back: it hears the answers to what it sends from now on. */
  comeBack(): void;
}

/** Options of {@linkcode createTransport}. */
export interface TransportOptions {
  /** When. */
  readonly clock: Clock;
  /** Where to. */
  readonly network: Network;
}

/** Creates the transport of a page. */
export function createTransport({ clock, network }: TransportOptions): Transport {
  const requests: TestRequest[] = [];
  const controls: RequestControl[] = [];
  const blockedUrls = new Set<string>();
  let visits = 0;
  let isAway = false;
  let isClosed = false;

  const strip = (url: string): string => (URL.canParse(url) ? new URL(url).href : url).replace(/#.*/s, "");
  const isOverQuota = (body: string): boolean => {
    const inFlight = requests.filter(({ state, keepalive }) => state === "pending" && keepalive);
    return inFlight.reduce((bytes, { text }) => bytes + utf8Length(text), utf8Length(body)) > KEEPALIVE_QUOTA_BYTES;
  };
  const later = (callback: () => void): void => clock.wait(Promise.resolve().then(callback));
  const dispatch = ({ end, request }: RequestControl, isOver: boolean): void => {
    const url = strip(request.url);
    if (isUnsendable(request)) end("refused", { status: UNSENDABLE });
    else if (blockedUrls.has(url)) end("refused", { status: NO_ANSWER });
    else if (isOver) request.fail();
    else if (isClosed && !request.keepalive) end("aborted", { status: NO_ANSWER });
    else network.deliver(request);
  };
  return {
    requests,
    send(sent: TransportRequest, onAnswer: (answer: TransportAnswer) => void): Cancel {
      const visit = isAway ? -1 : visits;
      const onEnd = (answer: TransportAnswer): void => {
        // Which engine tells a restored page of its earlier requests differs; here, as in the strictest, none does.
        later(() => {
          if (visit === visits) onAnswer(answer);
        });
      };
      const isOver = sent.keepalive && isOverQuota(sent.body);
      const control = createTestRequest(sent, { timeMs: clock.now(), onEnd });
      requests.push(control.request);
      controls.push(control);
      network.record(control.request);
      dispatch(control, isOver);
      return () => void control.end("aborted", { status: NO_ANSWER });
    },
    block: (url) => void blockedUrls.add(strip(url)),
    leave(isForGood) {
      visits++;
      isAway = true;
      isClosed ||= isForGood;
      if (!isClosed) return;
      for (const { request, end } of controls) if (!request.keepalive) end("aborted", { status: NO_ANSWER });
    },
    comeBack() {
      isAway = false;
    },
  };
}

/** As `fetch()` and `Headers` judge: no credentials in the URL, header values of Latin-1 without line breaks. */
function isUnsendable({ url, headers }: TestRequest): boolean {
  try {
    const { username, password } = new URL(url);
    // deno-lint-ignore no-control-regex
    return !!(username || password) || Object.values(headers).some((value) => /[^\x01-\xff]|[\r\n]/.test(value.trim()));
  } catch {
    return true; // no URL
  }
}
