/**
 * The thread of a SQLite sink: all that waits for the disk or for another process.
 *
 * @module
 */
import { serveCalls } from "../../threads/serve_calls.ts";
import { createSinkCalls } from "./serve_sink.ts";

serveCalls(createSinkCalls());
