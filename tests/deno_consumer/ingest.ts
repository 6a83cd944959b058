/**
 * The receiving side in a project that depends on the package by its name: type-checked.
 *
 * @module
 */
import { createIngest, createMemorySink, type Ingest } from "@vendor/sdk/ingest";

/** An ingest as `Deno.serve()` takes it. */
export const ingest: Ingest = createIngest({
  keys: [{ apiKey: "pk_test", origins: ["https://shop.example"] }],
  sink: createMemorySink(),
});
