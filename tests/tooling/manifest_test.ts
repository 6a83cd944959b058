import { assertEquals } from "@std/assert";
import { buildManifest } from "../../scripts/package/manifest.ts";
import { INGEST, PACKAGES, SDK } from "../../scripts/package/packages.ts";

Deno.test("buildManifest() gives the SDK no dependency, peer or program, and its script to those who serve packages", () => {
  const { name, dependencies, peerDependencies, bin, unpkg, jsdelivr, files } = buildManifest(SDK);

  assertEquals([name, dependencies, peerDependencies, bin], ["@vendor/sdk", undefined, undefined, undefined]);
  assertEquals([unpkg, jsdelivr], ["./vendor.global.js", "./vendor.global.js"]);
  assertEquals((files as readonly string[]).includes("vendor.global.js"), true);
});

Deno.test("buildManifest() gives the ingest its program, its libraries, and the clients of stores as optional peers", () => {
  const { main, bin, dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta, repository } =
    buildManifest(INGEST);

  assertEquals([main, bin], ["./script/ingest/mod.js", { "vendor-ingest": "bin/ingest.mjs" }]);
  assertEquals(Object.keys(dependencies ?? {}), ["hyparquet", "hyparquet-writer", "isbot", "valibot"]);
  assertEquals(optionalDependencies, { "@duckdb/node-api": "1.5.6-r.1" });
  assertEquals(
    Object.keys(peerDependencies ?? {}),
    ["@clickhouse/client", "@nats-io/jetstream", "@nats-io/transport-node"],
  );
  assertEquals(Object.keys(peerDependenciesMeta ?? {}), Object.keys(peerDependencies ?? {}));
  assertEquals(repository, {
    type: "git",
    url: "git+https://github.com/vendor/sdk.git",
    directory: "src/ingest",
  });
});

Deno.test("the packages have one version", () => {
  assertEquals(new Set(PACKAGES.map(({ source }) => source.version)).size, 1);
});
