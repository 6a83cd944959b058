import type { ReportReader } from "./reader.ts";

/** A call of a reader, with the path of its database. */
type ReaderCall<C> = C extends (...args: infer A) => Promise<infer R> ? (path: string, ...args: A) => R : never;

/** What the thread of a SQLite reader does. Each call opens the database, and throws where no SQLite sink did before. */
export type ReaderCalls = { readonly [N in keyof ReportReader]: ReaderCall<ReportReader[N]> } & {
  /** Opens the database, and returns its whole path. */
  readonly find: (path: string) => string;
};
