import { attempt } from "../client/base/attempt.ts";
import { SDK_VERSION } from "../client/base/version.ts";
import { resolveConfig, type ResolvedConfig } from "../client/config.ts";
import { isTransient, NO_ANSWER, UNSENDABLE } from "../client/platform/environment.ts";
import { createTimer } from "../client/platform/timer.ts";
import { buildBody } from "./build_body.ts";
import { callOut } from "./call_out.ts";
import { createIdDeriver } from "./derive_id.ts";
import type { Sender, SenderDropReason, SenderOptions } from "./options.ts";
import { type Answer, post, type Posting } from "./post.ts";
import { createProblemReport } from "./problem_report.ts";
import { createProblemWarner } from "./problem_warner.ts";
import { type RecordedStep, recordStep } from "./recorded_step.ts";
import { createSenderLink } from "./sender_link.ts";
import { setTimer } from "./set_timer.ts";
import { createSettlements, type Numbered, type Outcome } from "./settlements.ts";
import { type Batch, createStepQueue } from "./step_queue.ts";

/** Why steps are lost. */
interface Loss {
  readonly reason: SenderDropReason;
  readonly message: string;
}

/** A step that waits, numbered in the order of the calls. */
type NumberedStep = RecordedStep & Numbered;

/** A request under way, and what it carries. */
interface Sending extends Posting {
  readonly batch: Batch<NumberedStep>;
}

/** Statuses by which the ingest refuses a step as it is. Any other comes of an endpoint that is set up wrongly, for now. */
const REFUSALS: readonly number[] = [400, 413];

/** The form of an error's code. A problem says nothing else of an answer: what stands between may repeat the secret or a step in it. */
const CODE = /^[a-z_]{1,40}$/;

/** Checks options as `Vendor.init()` does, and says of which field and function an error is. */
function resolveOptions(options: SenderOptions): ResolvedConfig {
  const { secret } = options;
  try {
    const config = resolveConfig(options);
    if (typeof secret === "string" && /^[\x21-\x7e]+$/.test(secret)) return config;
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`createSender(): ${/endpoint/i.test(message) ? "endpoint" : "apiKey"}: ${message}`);
  }
  throw new Error("createSender(): secret must be printable ASCII without spaces");
}

/**
 * Creates what sends the steps of a backend to the ingest of its site: in batches, each again until it is stored, with
 * the same IDs. What isn't stored yet is in memory alone. The caller has to know whether the person of a
 * step has consented: nothing asks here.
 *
 * @throws {Error} As `Vendor.init()` does, for the key and the endpoint, and for a secret that is missing or can't be one:
 * each names the field.
 *
 * @example
 * ```ts
 * import { createSender } from "@vendor/sdk/server";
 *
 * const secret = "ss_0123456789abcdef0123456789abcdef"; // of the environment, in a program of yours
 * const sender = createSender({ apiKey: "pk_live_123", secret, endpoint: "https://ingest.shop.example/v1/events" });
 *
 * export async function onPaid(orderId: string, userId: string): Promise<boolean> {
 *   sender.step({ userId, name: "purchase", dedupeId: `order ${orderId}` });
 *   return await sender.flush() === "unavailable"; // whether to call again
 * }
 * ```
 */
export function createSender(options: SenderOptions): Sender {
  const { apiKey, endpoint, flushInterval, maxEvents } = resolveOptions(options);
  const { secret, waitUntil, onProblem = createProblemWarner() } = options;
  const { fetch: transport = (url, init) => fetch(url, init) } = options;
  const headers = buildHeaders(apiKey, secret);
  const queue = createStepQueue<NumberedStep>(maxEvents);
  const deriveId = createIdDeriver(secret);
  const settlements = createSettlements();
  const report = createProblemReport(onProblem);
  let sending: Sending | undefined;
  /** Whether a flush comes at the end of this task. */
  let isFlushDue = false;
  let closing: Promise<Outcome> | undefined;

  const interval = createTimer({ setTimer }, () => void send());
  const link = createSenderLink(() => void send());

  /** Sends what waits, one request at a time. */
  async function send(): Promise<void> {
    while (link.state() === "open" && sending === undefined) {
      const batch = queue.take();
      if (batch === undefined) return interval.cancel();
      const current = {
        batch,
        ...post({ url: endpoint, headers, buildBody: () => buildBody(batch, deriveId), fetch: transport }),
      };
      sending = current;
      const answer = await current.answer;
      if (sending !== current) return; // closed meanwhile
      sending = undefined;
      handle(batch, answer);
    }
  }

  function handle(batch: Batch<NumberedStep>, answer: Answer): void {
    const { status } = answer;
    if (isTransient(status)) {
      queue.putBack(batch);
      const delayMs = link.wait(answer.retryAfterMs);
      return report({ kind: "waiting", delayMs, message: describeAnswer(answer) });
    }
    link.succeed();
    if (status >= 200 && status < 300) return acknowledge(batch, answer);
    // One step that the ingest can't take is no reason to lose those beside it.
    if ((status === 413 || status === 400) && queue.halve(batch)) return;
    const loss: Loss = { reason: status === 413 ? "too_large" : "rejected", message: describeAnswer(answer) };
    if (REFUSALS.includes(status)) return drop(batch.steps, loss, "refused");
    if (![UNSENDABLE, 401, 403].includes(status)) return drop(batch.steps, loss);
    link.stop();
    interval.cancel();
    drop([...batch.steps, ...queue.empty()], { ...loss, reason: "stopped" });
  }

  function acknowledge({ steps }: Batch<NumberedStep>, answer: Answer): void {
    const refused = Math.min(countRefused(answer), steps.length);
    reportDropped("rejected", refused, "the ingest's plan refuses them");
    settlements.settle(steps, refused === 0 ? "stored" : "refused");
  }

  function drop(steps: readonly NumberedStep[], { reason, message }: Loss, outcome: Outcome = "unavailable"): void {
    reportDropped(reason, steps.length, message);
    settlements.settle(steps, outcome);
  }

  function reportDropped(reason: SenderDropReason, count: number, message: string): void {
    if (count > 0) report({ kind: "dropped", reason, count, message });
  }

  /** Has what waits sent in its time. */
  function schedule(): void {
    if (waitUntil === undefined) {
      if (queue.isFull()) void send();
      else interval.arm(flushInterval);
      return;
    }
    if (isFlushDue) return;
    isFlushDue = true;
    const flushed = Promise.resolve().then(() => {
      isFlushDue = false;
      return flush();
    });
    callOut(() => waitUntil(flushed));
  }

  async function flush(): Promise<Outcome> {
    const settled = settlements.whenSettled();
    void send();
    const outcome = await settled;
    return link.state() === "stopped" ? "unavailable" : outcome;
  }

  /** Lets go of everything. */
  function end(): void {
    link.stop();
    interval.cancel();
    const left = [...sending?.batch.steps ?? [], ...queue.empty()];
    sending?.abort();
    sending = undefined;
    drop(left, { reason: "closed", message: "they weren't stored when the sender was closed" });
  }

  return {
    step(step) {
      if (closing !== undefined) return reportDropped("closed", 1, "the sender is closed");
      if (link.state() === "stopped") return reportDropped("stopped", 1, "nothing can be sent any more");
      const recorded = recordStep(step, Date.now());
      if ("reason" in recorded) return reportDropped(recorded.reason, 1, recorded.problem);
      const lost = queue.add({ ...recorded, number: settlements.count() });
      drop(lost, { reason: "queue_full", message: "more wait than memory is to hold" });
      schedule();
    },
    // A step that came after close() isn't stored, and who flushes may have made it.
    flush: () => closing === undefined ? flush() : flush().then(() => "unavailable"),
    close: () =>
      closing ??= flush().then((outcome) => {
        end();
        return outcome;
      }),
  };
}

function buildHeaders(apiKey: string, secret: string): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "X-API-Key": apiKey,
    "X-Vendor-SDK-Version": SDK_VERSION,
    "Authorization": `Bearer ${secret}`,
  };
}

/** Returns how many steps the ingest's plan refused, as it says. */
function countRefused({ text }: Answer): number {
  return Math.max(0, attempt(() => Number(JSON.parse(text).refused)) || 0);
}

function describeAnswer({ status, text }: Answer): string {
  if (status === UNSENDABLE) return "the request can't be built of the key and the endpoint";
  if (status === NO_ANSWER) return text;
  const code: unknown = attempt(() => JSON.parse(text).error.code);
  return typeof code === "string" && CODE.test(code) ? `${status}, ${code}` : `${status}`;
}
