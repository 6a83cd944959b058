import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { writeLike } from "../../platform/write_like.ts";
import { TAIL_NAME } from "./tail_schema.ts";

/** Ending of a file that isn't registered yet: nobody's query takes it for one of events. */
export const DRAFT_ENDING = ".new" as const;

/** A file that is written, and has no name yet. */
export interface Draft {
  readonly path: string;
  readonly bytes: number;
}

/** Writes a file so that it is on the disk, with the owner and the mode of the tail. */
export function writeDraft(folder: string, bytes: Uint8Array): Draft {
  const path = join(folder, `${randomUUID()}${DRAFT_ENDING}`);
  writeLike(join(folder, TAIL_NAME), { path, data: bytes });
  return { path, bytes: bytes.length };
}
