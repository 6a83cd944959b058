/// <reference lib="deno.unstable" />
import { classifyIdentifier } from "./identifier_role.ts";
import { findLayer, type Layer, toRepositoryPath } from "./layers.ts";

const PLATFORM_GLOBALS: ReadonlySet<string> = new Set([
  "globalThis",
  "self",
  "window",
  "document",
  "navigator",
  "location",
  "history",
  "screen",
  "localStorage",
  "sessionStorage",
  "indexedDB",
  "caches",
  "cookieStore",
  "console",
  "fetch",
  "XMLHttpRequest",
  "WebSocket",
  "crypto",
  "performance",
  "Date",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "requestAnimationFrame",
  "requestIdleCallback",
  "addEventListener",
  "removeEventListener",
  "Deno",
  "process",
]);

const LAYERS_ON_THE_PLATFORM: readonly Layer[] = [
  "adapter",
  "port",
  "detector",
  "ingest",
  "global",
  "page",
  "inspector",
  "program",
];

/** Allows platform globals only where the platform is what the file is about: client/platform/ and ingest/. */
export const platformGlobals: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    const path = toRepositoryPath(context.filename);
    const layer = findLayer(path);
    if (!layer || LAYERS_ON_THE_PLATFORM.includes(layer)) return {};
    const declared = new Set<string>();
    const references: Deno.lint.Identifier[] = [];
    return {
      Identifier: (node) => {
        if (!PLATFORM_GLOBALS.has(node.name)) return;
        const role = classifyIdentifier(node);
        if (role === "declaration") declared.add(node.name);
        if (role === "reference") references.push(node);
      },
      "Program:exit": () => {
        for (const node of references) {
          // A name that the file declares itself is taken for that: the rule has no scopes, and needs none.
          if (declared.has(node.name)) continue;
          // The clock of the in-memory environment reads and formats dates.
          if (layer === "testing" && node.name === "Date") continue;
          const message = `${path} uses the platform's "${node.name}"`;
          context.report({ node, message, hint: "Reach the platform through the Environment port" });
        }
      },
    };
  },
};
