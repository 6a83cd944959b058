/**
 * Whose events are asked for. The id is in the body of a POST: it is in no URL, and so in no log of one.
 *
 * @module
 */
import { replaceControls } from "../../events/foreign_text.ts";
import type { Problem } from "../query/query.ts";
import { hasType, type ReadBody, readText } from "./request_body.ts";

/** A visitor or a user: see `PersonView`. */
export type PersonId = { readonly anonymousId: string } | { readonly userId: string };

/** Most bytes of a body: a user's id has up to 1,000 characters, each of up to 12 bytes there. */
const MAX_BYTES = 16_384;

const FORM_TYPE = "application/x-www-form-urlencoded";

/** Says what the body has to be. */
export const PERSON_WRONG: Problem = {
  status: 400,
  code: "bad_person",
  message: "send either anonymousId or userId, in the body of a POST",
};

const TYPE_WRONG: Problem = {
  status: 415,
  code: "unsupported_media_type",
  message: `the body of the POST must be ${FORM_TYPE}`,
};

const TOO_LARGE: Problem = {
  status: 413,
  code: "body_too_large",
  message: `the body of the POST may have ${MAX_BYTES} bytes at most`,
};

/** Reads whose events are asked for, by default from the body that the request holds. */
export async function readPerson(request: Request, read?: ReadBody): Promise<PersonId | Problem> {
  if (!hasType(request, FORM_TYPE)) return TYPE_WRONG;
  const text = await readText(request, { bytes: MAX_BYTES, read });
  return text === undefined ? TOO_LARGE : toPerson(new URLSearchParams(text));
}

/** Reads whose events are asked for from the fields of a form. An empty field counts as missing. */
export function toPerson(fields: URLSearchParams): PersonId | Problem {
  const [anonymousId, userId] = [fields.get("anonymousId") || undefined, fields.get("userId") || undefined];
  if (anonymousId !== undefined && userId === undefined) return { anonymousId };
  return userId !== undefined && anonymousId === undefined ? { userId } : PERSON_WRONG;
}

/** Writes the command that erases somebody, for a POSIX shell, in characters that every page and terminal shows as they are. */
export function writeEraseCommand(apiKey: string, person: PersonId): string {
  const flag = "userId" in person ? `--user-id=${quote(person.userId)}` : `--anonymous-id=${quote(person.anonymousId)}`;
  return `vendor-ingest data erase --key=${quote(apiKey)} ${flag}`;
}

function quote(text: string): string {
  if (replaceControls(text) === text) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${replaceControls(text.replace(/['\\]/g, "\\$&"), toOctal)}'`;
}

/** Writes a character as bytes of UTF-8. */
function toOctal(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
