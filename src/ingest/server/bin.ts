#!/usr/bin/env node
/**
 * The program `ingest`: runs the server until a signal ends it. `deno task ingest`, or `npx @vendor/sdk`.
 *
 * @module
 */
import process from "node:process";
import { run } from "./run.ts";

run(process.argv.slice(2)).then((code) => process.exit(code));
