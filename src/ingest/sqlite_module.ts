/** The part of `node:sqlite` in use. */
export type SqliteModule = Pick<typeof import("node:sqlite"), "DatabaseSync">;

/**
 * Loads `node:sqlite` at the first use, so that the ingest itself runs where there is none: Node 20, Workers.
 *
 * @throws {Error} Where the runtime has no `node:sqlite`.
 */
export async function loadSqlite(
  load: () => Promise<SqliteModule> = () => import("node:sqlite"),
): Promise<SqliteModule> {
  try {
    return await load();
  } catch (cause) {
    throw new Error("createSqliteSink() needs node:sqlite, which Deno has since 2.2 and Node since 22.13", { cause });
  }
}
