/// <reference lib="deno.unstable" />
import { findLayer, type Layer, resolveImport, toRepositoryPath } from "./layers.ts";

const MAY_IMPORT: Readonly<Record<Layer, readonly Layer[]>> = {
  entry: ["singleton", "leaf"],
  singleton: ["root", "port", "leaf"],
  root: ["root", "core", "detector", "port", "leaf"],
  core: ["port", "leaf"],
  leaf: ["leaf", "port"],
  port: ["port", "leaf"],
  detector: ["adapter", "port", "leaf"],
  adapter: ["adapter", "port", "leaf"],
  testing: ["testing", "plan", "root", "core", "port", "leaf"],
  // Types of steps, and what checks them, for the ingest and for tests of applications.
  plan: ["plan", "root", "leaf"],
  ingest: ["ingest", "plan", "leaf"],
  program: ["ingest"],
  // The build for script tags: nothing of the modules may depend on it.
  global: ["global", "root", "detector", "port", "leaf"],
  // What several add-ons read of the page.
  page: ["page", "adapter", "port", "leaf"],
  // Entry points beside the client, which knows nothing of them.
  extension: ["extension", "page", "root", "core", "adapter", "port", "leaf"],
  // One more, which draws in the page.
  inspector: ["inspector", "page", "root", "core", "adapter", "port", "leaf"],
};

/** What a user of the ingest installs for the parts that need it. */
const OPTIONAL_PEERS: readonly string[] = [
  "@clickhouse/client",
  "@nats-io/jetstream",
  "@nats-io/transport-node",
  "valibot",
];

/** What is bundled into the program, which no entry point of the package reaches. */
const BUNDLED: readonly string[] = ["prom-client", "hyparquet-writer"];

const HINT = "Imports point one way: mod -> vendor -> client -> core -> ports; adapters are named in detect.ts alone";

interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

/** Allows imports in one direction, see CONTRIBUTING.md. Core files know each other as types only. */
export const importDirection: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    const path = toRepositoryPath(context.filename);
    const layer = findLayer(path);
    if (!layer) return {};
    const check = (node: Deno.lint.Node, imported: Import): void => {
      const message = findFault(path, layer, imported);
      if (message) context.report({ node, message, hint: HINT });
    };
    return {
      ImportDeclaration: (node) => {
        const isTypeOnly = node.importKind === "type" || areTypes(node.specifiers.map(importKindOf));
        check(node, { specifier: node.source.value, isTypeOnly });
      },
      ExportNamedDeclaration: (node) => {
        if (!node.source) return;
        const isTypeOnly = node.exportKind === "type" || areTypes(node.specifiers.map(({ exportKind }) => exportKind));
        check(node, { specifier: node.source.value, isTypeOnly });
      },
      ExportAllDeclaration: (node) => {
        check(node, { specifier: node.source.value, isTypeOnly: node.exportKind === "type" });
      },
      ImportExpression: (node) => {
        if (node.source.type !== "Literal") return;
        check(node, { specifier: String(node.source.value), isTypeOnly: false });
      },
    };
  },
};

function findFault(path: string, layer: Layer, { specifier, isTypeOnly }: Import): string | undefined {
  if (!specifier.startsWith(".")) {
    const isServerSide = layer === "ingest" || layer === "program";
    const isProgram = path.startsWith("src/ingest/server/");
    const isAllowed = isServerSide && (specifier.startsWith("node:") || OPTIONAL_PEERS.includes(specifier)) ||
      isProgram && BUNDLED.includes(specifier);
    return isAllowed ? undefined : `${path} imports "${specifier}": the client has no dependencies`;
  }
  const target = resolveImport(path, specifier);
  const targetLayer = findLayer(target);
  if (!targetLayer) return `${path} imports ${target}, which isn't part of the package`;
  if (layer === "core" && targetLayer === "core") {
    return isTypeOnly ? undefined : `${path} imports ${target} by value: take the collaborator as a parameter`;
  }
  if (MAY_IMPORT[layer].includes(targetLayer)) return undefined;
  return `${path} (${layer}) imports ${target} (${targetLayer})`;
}

function importKindOf(specifier: Deno.lint.ImportDeclaration["specifiers"][number]): string {
  return specifier.type === "ImportSpecifier" ? specifier.importKind : "value";
}

function areTypes(kinds: readonly string[]): boolean {
  return kinds.length > 0 && kinds.every((kind) => kind === "type");
}
