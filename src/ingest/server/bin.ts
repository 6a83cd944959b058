#!/usr/bin/env node
/**
 * The program `vendor-ingest`: runs the server until a signal ends it. `deno task ingest`, or `npx @vendor/ingest`.
 *
 * @module
 */
import process from "node:process";
import { muteExperimental } from "../platform/mute_experimental.ts";
import { run } from "./cli/run.ts";

muteExperimental();

// On Node, output that can't be written, as to a pipe that nobody reads any more, would end the process.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

run(process.argv.slice(2)).then((code) => process.exit(code));
