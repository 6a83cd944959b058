import { assertEquals } from "@std/assert";
import { buildManifest } from "../../scripts/package/manifest.ts";

const SOURCE = {
  name: "@vendor/sdk",
  version: "1.2.3",
  description: "A package.",
  license: "MIT",
  exports: { ".": "./mod.ts", "./client": "./src/client.ts" },
  imports: { "@nats-io/jetstream": "npm:@nats-io/jetstream@3.4.0", "other": "npm:other@1.0.0" },
  scopes: { "./": {} },
};

Deno.test("buildManifest() offers the script-tag build to those who serve packages, and packs it", () => {
  const { unpkg, jsdelivr, files } = buildManifest(SOURCE);

  assertEquals([unpkg, jsdelivr], ["./vendor.global.js", "./vendor.global.js"]);
  assertEquals((files as readonly string[]).includes("vendor.global.js"), true);
});

Deno.test("buildManifest() takes name, version and licence from deno.json and declares no dependency", () => {
  const { name, version, license, sideEffects, dependencies } = buildManifest(SOURCE);

  assertEquals([name, version, license, sideEffects], ["@vendor/sdk", "1.2.3", "MIT", false]);
  assertEquals(dependencies, undefined);
});

Deno.test("buildManifest() takes the clients of sinks for optional peers, and nothing else of the imports", () => {
  const { peerDependencies, peerDependenciesMeta } = buildManifest(SOURCE);

  assertEquals(peerDependencies, {
    "@clickhouse/client": "*",
    "@nats-io/jetstream": "^3.4.0",
    "@nats-io/transport-node": "*",
    "isbot": "*",
    "valibot": "*",
  });
  assertEquals(peerDependenciesMeta, {
    "@clickhouse/client": { optional: true },
    "@nats-io/jetstream": { optional: true },
    "@nats-io/transport-node": { optional: true },
    "isbot": { optional: true },
    "valibot": { optional: true },
  });
});
