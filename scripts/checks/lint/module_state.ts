/// <reference lib="deno.unstable" />
import { findPart, toSourcePath } from "./folders.ts";

/** The one that keeps the client of a page. */
const SINGLETON = "client/vendor.ts";

/** Modules that a command line, or a thread, starts. */
const PROGRAMS: readonly string[] = ["ingest/server/bin.ts", "ingest/threads/worker/worker.ts"];

const DECLARATIONS = new Set<string>([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportDefaultDeclaration",
  "ExportAllDeclaration",
  "FunctionDeclaration",
  "ClassDeclaration",
  "VariableDeclaration",
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
  "TSModuleDeclaration",
]);

/** Allows no variable at module level but the one of vendor.ts, and nothing that runs at import but programs. */
export const moduleState: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    const path = toSourcePath(context.filename);
    if (!findPart(path)) return {};
    return {
      Program: ({ body }) => {
        for (const statement of body) {
          if (!DECLARATIONS.has(statement.type) && !PROGRAMS.includes(path)) {
            context.report({ node: statement, message: `${path} has a side effect at import` });
          }
          if (path !== SINGLETON && isVariable(statement)) {
            const message = `${path} keeps state at module level`;
            context.report({ node: statement, message, hint: "State lives in the closure of a createX()" });
          }
        }
      },
    };
  },
};

function isVariable(statement: Deno.lint.Statement): boolean {
  const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  return declaration?.type === "VariableDeclaration" && (declaration.kind === "let" || declaration.kind === "var");
}
