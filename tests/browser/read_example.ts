import { stripTypes } from "../../scripts/checks/strip_types.ts";
import { KEY } from "./ingest_server.ts";

/** Where to look for an example, and where it sends to. */
export interface ExampleOptions {
  /** Text that the example comes after; the beginning unless given. */
  readonly after?: string;
  /** The endpoint in place of the one in the guide. */
  readonly endpoint: string;
  /** The key in place of the one in the guide; one that the ingest of these tests knows unless given. */
  readonly apiKey?: string;
}

/** Reads the first TypeScript block of a guide, or the first one after a text, as a module for a page of a test. */
export function readExample(path: string, { after = "", endpoint, apiKey = KEY }: ExampleOptions): string {
  const guide = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
  const [, block = ""] = /^```ts\n([\s\S]*?)^```/m.exec(guide.slice(guide.indexOf(after))) ?? [];
  return stripTypes(block)
    .replace("@vendor/sdk/consent", "/consent.mjs")
    .replace("@vendor/sdk/banner", "/banner.mjs")
    .replace("@vendor/sdk", "/sdk.mjs")
    .replace("pk_live_123", apiKey)
    .replace(/https?:\/\/[^"]*\/v1\/events/, endpoint);
}
