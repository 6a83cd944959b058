// Compiled against the packed npm package with every TypeScript since 5.2.
import { createSender, type Sender, type SenderOptions, type SenderProblem, type SenderStep } from "@vendor/sdk/server";

const options: SenderOptions = {
  apiKey: "pk_test",
  secret: "ss_0123456789abcdef0123456789abcdef",
  waitUntil: (promise) => void promise.catch(() => {}),
  onProblem: (problem) => console.log(describe(problem)),
};
const sender: Sender = createSender(options);

/** Sends a step, of a visitor where there is one. */
export async function send(
  name: string,
  anonymousId: string | undefined,
): Promise<"stored" | "refused" | "unavailable"> {
  const step: SenderStep = { userId: null, anonymousId, name, timestamp: new Date(), dedupeId: "order-17" };
  sender.step(step);
  return await sender.flush();
}

function describe(problem: SenderProblem): string {
  return problem.kind === "dropped" ? `${problem.count} ${problem.reason}` : `${problem.delayMs} ms`;
}

// @ts-expect-error -- a secret is required
createSender({ apiKey: "pk_test" });

// @ts-expect-error -- a number may be of seconds or of milliseconds
sender.step({ userId: "u", name: "purchase", timestamp: 1_772_359_200 });

// @ts-expect-error -- who it was is to be said, if only that nobody knows
sender.step({ name: "purchase" });
