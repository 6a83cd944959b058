import { assertEquals } from "@std/assert";
import { readPackageSource } from "../../scripts/npm_package/manifest.ts";
import { SDK_NAME, SDK_VERSION } from "../../src/version.ts";

Deno.test("the name and version that events carry are those of the package", () => {
  const { name, version } = readPackageSource();

  assertEquals([SDK_NAME, SDK_VERSION], [name, version]);
});
