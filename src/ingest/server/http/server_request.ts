import type { IncomingMessage } from "node:http";
import { type Bytes, createCollector, type ReadLimits } from "../../http/body.ts";
import type { IngestRequest } from "../../http/request.ts";

/** A request of a server. */
export interface ServerRequest extends IngestRequest {
  /** Makes a request of the Web of it, without its body. */
  readonly toRequest: () => Request;
}

/** A path that means what it says, as most are: nothing in it is encoded, cut or left out by a URL. */
const PLAIN_PATH = /^(?:\/[\w-]+)+$/;

/** Takes a request of Node's http server; undefined where no request of the Web can hold it. */
export function fromIncoming(incoming: IncomingMessage): ServerRequest | undefined {
  const { method = "GET", url = "/", httpVersion } = incoming;
  // Once: what Node makes of them is another object, which nobody needs.
  const headers = readHeaders(incoming);
  // Node's own answer would be none that a page can read.
  if (headers.get("Host") === null && httpVersion === "1.1") return undefined;
  const path = cutQuery(url);
  const isPlain = PLAIN_PATH.test(path) && method !== "TRACE";
  const whole = isPlain ? undefined : toRequest(incoming);
  if (!isPlain && whole === undefined) return undefined;
  return {
    method,
    path: whole === undefined ? path : new URL(whole.url).pathname,
    headers,
    read: (limits) => readBody(incoming, limits),
    toRequest: () => whole ?? new Request(`http://localhost${url}`, { method, headers: toHeaders(incoming) }),
  };
}

/** Reads headers that are asked for several times, in one pass. */
function readHeaders({ rawHeaders }: IncomingMessage): IngestRequest["headers"] {
  const values = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    const first = values.get(name);
    values.set(name, first === undefined ? value : `${first}, ${value}`);
  }
  return { get: (name) => values.get(name.toLowerCase()) ?? null };
}

function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
  return headers;
}

function toRequest(incoming: IncomingMessage): Request | undefined {
  const { method = "GET", url = "/" } = incoming;
  try {
    const headers = toHeaders(incoming);
    // Put together as text: a path may begin with two slashes, which would name a host.
    const request = new Request(url.startsWith("/") ? `http://localhost${url}` : new URL(url, "http://localhost"), {
      method,
      headers,
    });
    // A proxy looks at the path as it was sent: `/v1/events\..\..\metrics` would be past what it lets through.
    return cutQuery(request.url).endsWith(cutQuery(url.replace(/^\w+:\/\/[^/\\?#]*/, ""))) ? request : undefined;
  } catch {
    // TRACE, or a target that is neither path nor URL.
    return undefined;
  }
}

function cutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

function readBody(incoming: IncomingMessage, limits: ReadLimits): Promise<Bytes | undefined> {
  const { signal } = limits;
  const collector = createCollector(limits);
  return new Promise((resolve, reject) => {
    const take = (piece: Uint8Array): void => {
      if (!collector.add(piece)) end(() => resolve(undefined));
    };
    const finish = (): void => end(() => resolve(collector.whole()));
    const fail = (): void => end(() => reject(new Error("the body ended early")));
    function end(settle: () => void): void {
      // The rest of it is left to the code that answers.
      incoming.off("data", take).off("end", finish).off("error", fail).off("close", fail);
      if (!incoming.readableEnded) incoming.pause();
      if (signal) signal.onStop = undefined;
      settle();
    }
    if (incoming.destroyed && !incoming.readableEnded) return fail();
    incoming.on("data", take).on("end", finish).on("error", fail).on("close", fail);
    if (signal) signal.onStop = fail;
  });
}
