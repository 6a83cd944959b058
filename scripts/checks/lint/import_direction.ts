/// <reference lib="deno.unstable" />
import { findPart, isSource, MAY_IMPORT, type Part, resolveImport, toSourcePath } from "./folders.ts";

/** All that the ingest knows of the SDK. */
const CONTRACT = "@vendor/sdk/contract";

/** Packages that a user of the ingest installs for the parts that need them. */
const OPTIONAL_PEERS: readonly string[] = [
  "@clickhouse/client",
  "@duckdb/node-api",
  "@nats-io/jetstream",
  "@nats-io/transport-node",
  "isbot",
  "valibot",
];

/** Packages in the bundle of the program, which no entry point of the package reaches. */
const BUNDLED: readonly string[] = ["prom-client", "hyparquet", "hyparquet-writer"];

/** The folders that only the program reaches. */
const OF_PROGRAM: readonly string[] = ["ingest/server/", "ingest/stores/file/"];

/** Parts of the client that take each other as parameters; `client/` wires them. */
const WIRED: readonly string[] = ["client/capture/", "client/delivery/"];

const HINT = "Imports point one way: scripts/checks/lint/folders.ts says what each folder may import";

interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

/** Allows imports in one direction, see CONTRIBUTING.md. What captures and what delivers know each other as types only. */
export const importDirection: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    const path = toSourcePath(context.filename);
    const part = findPart(path);
    if (!part) return isSource(path) ? refuse(context, path) : {};
    const check = (node: Deno.lint.Node, imported: Import): void => {
      const message = findFault(path, part, imported);
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

/** Reports a file for which there is no rule, whatever it imports. */
function refuse(context: Deno.lint.RuleContext, path: string): Deno.lint.LintVisitor {
  const message = `${path} lies in no folder that has a row in scripts/checks/lint/folders.ts`;
  return { Program: (node) => context.report({ node, message }) };
}

function findFault(path: string, part: Part, { specifier, isTypeOnly }: Import): string | undefined {
  if (!specifier.startsWith(".")) {
    const isAllowed = path.startsWith("ingest/") &&
        (specifier === CONTRACT || specifier.startsWith("node:") || OPTIONAL_PEERS.includes(specifier)) ||
      OF_PROGRAM.some((folder) => path.startsWith(folder)) && BUNDLED.includes(specifier);
    return isAllowed ? undefined : `${path} imports "${specifier}": the client has no dependencies`;
  }
  const target = resolveImport(path, specifier);
  const targetPart = findPart(target);
  if (!targetPart) return `${path} imports ${target}, which isn't part of the package`;
  if (WIRED.includes(part.row) && WIRED.includes(targetPart.row) && !isTypeOnly) {
    return `${path} imports ${target} by value: take the collaborator as a parameter`;
  }
  const isAllowed = part.path === targetPart.path || MAY_IMPORT[part.row]?.includes(targetPart.row);
  return isAllowed ? undefined : `${path} imports ${target}: ${part.path} may not import ${targetPart.path}`;
}

function importKindOf(specifier: Deno.lint.ImportDeclaration["specifiers"][number]): string {
  return specifier.type === "ImportSpecifier" ? specifier.importKind : "value";
}

function areTypes(kinds: readonly string[]): boolean {
  return kinds.length > 0 && kinds.every((kind) => kind === "type");
}
