/**
 * The thread of a SQLite reader.
 *
 * @module
 */
import { serveCalls } from "../threads/serve_calls.ts";
import { createReaderCalls } from "./serve_reader.ts";

serveCalls(createReaderCalls());
