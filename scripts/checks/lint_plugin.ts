/**
 * The `deno lint` plugin that keeps the shape of the source tree: imports point one way, platform globals stay at the
 * rim, modules have no state and no side effect. CONTRIBUTING.md explains the rules.
 *
 * @module
 */
/// <reference lib="deno.unstable" />
import { importDirection } from "./lint/import_direction.ts";
import { moduleState } from "./lint/module_state.ts";
import { platformGlobals } from "./lint/platform_globals.ts";

const plugin: Deno.lint.Plugin = {
  name: "vendor",
  rules: {
    "import-direction": importDirection,
    "module-state": moduleState,
    "platform-globals": platformGlobals,
  },
};

export default plugin;
