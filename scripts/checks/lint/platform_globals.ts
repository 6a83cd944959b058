/// <reference lib="deno.unstable" />
import { classifyIdentifier } from "./identifier_role.ts";
import { findPart, toSourcePath } from "./folders.ts";

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

/** Folders that are about the platform. */
const ON_THE_PLATFORM: readonly string[] = [
  "client/platform/",
  "addons/page/",
  "addons/auto/",
  "addons/banner/",
  "addons/inspector/",
  "script_tag/",
  "sender/",
  "ingest/",
];

/** Allows platform globals only where the platform is what the file is about. */
export const platformGlobals: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    const path = toSourcePath(context.filename);
    if (!findPart(path) || ON_THE_PLATFORM.some((folder) => path.startsWith(folder))) return {};
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
          if (path.startsWith("testing/") && node.name === "Date") continue;
          const message = `${path} uses the platform's "${node.name}"`;
          context.report({ node, message, hint: "Reach the platform through the Environment port" });
        }
      },
    };
  },
};
