/** An answer, read to its end. */
export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** Headers. */
  readonly headers: Headers;
  /** Body as text. */
  readonly text: string;
  /** Header `Origin` of its request. */
  readonly origin: string | null;
}

/** Counts of a 202. */
export interface Counts {
  /** Events stored now. */
  readonly accepted: number;
  /** Events stored before. */
  readonly duplicates: number;
}

/** Says that an answer isn't one of the contract. */
export class Deviation extends Error {}

/** Reads a response to a request of an origin. */
export async function toAnswer(response: Response, origin: string | null): Promise<Answer> {
  return { status: response.status, headers: response.headers, text: await response.text(), origin };
}

/**
 * Checks that the status is the expected one, and that the answer has what every answer needs.
 *
 * @throws {Deviation} When it isn't so.
 */
export function expectStatus(answer: Answer, status: number): void {
  if (answer.status !== status) {
    throw new Deviation(`expected ${status}, got ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  expectReadable(answer);
  if (status >= 400) expectError(answer);
}

/**
 * Checks a 202 and its counts.
 *
 * @throws {Deviation} When it isn't so.
 */
export function expectStored(answer: Answer, expected?: Counts): Counts {
  expectStatus(answer, 202);
  const counts = parse(answer) as Counts;
  if (!Number.isInteger(counts.accepted) || !Number.isInteger(counts.duplicates)) {
    throw new Deviation(`a 202 without counts: ${answer.text.slice(0, 200)}`);
  }
  if (expected && (counts.accepted !== expected.accepted || counts.duplicates !== expected.duplicates)) {
    throw new Deviation(`expected ${JSON.stringify(expected)}, got ${answer.text.slice(0, 200)}`);
  }
  return counts;
}

/**
 * Checks that a page of any origin can read the answer, with credentials or without, and when to come back.
 *
 * @throws {Deviation} When it isn't so.
 */
function expectReadable({ status, headers, origin }: Answer): void {
  const allowed = headers.get("Access-Control-Allow-Origin");
  if (allowed === null) throw new Deviation(`${status} without Access-Control-Allow-Origin`);
  if (origin !== null && allowed !== origin) throw new Deviation(`${status} doesn't name the origin that asked`);
  if (origin !== null && headers.get("Access-Control-Allow-Credentials") !== "true") {
    throw new Deviation(`${status} doesn't allow credentials, which a page may add`);
  }
  const exposed = (headers.get("Access-Control-Expose-Headers") ?? "").toLowerCase().split(/\s*,\s*/);
  if (!exposed.includes("retry-after")) throw new Deviation(`${status} doesn't expose Retry-After`);
}

function expectError(answer: Answer): void {
  const { status, headers } = answer;
  if (!/^application\/json\b/i.test(headers.get("Content-Type") ?? "")) {
    throw new Deviation(`${status} isn't announced as JSON`);
  }
  const { error } = parse(answer) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } };
  if (typeof error?.code !== "string" || typeof error.message !== "string") {
    throw new Deviation(`${status} without {"error":{"code","message"}}: ${answer.text.slice(0, 200)}`);
  }
  if ((status === 429 || status === 503) && headers.get("Retry-After") === null) {
    throw new Deviation(`${status} without Retry-After`);
  }
}

function parse({ status, text }: Answer): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    throw new Deviation(`${status} whose body isn't JSON: ${text.slice(0, 200)}`);
  }
}
