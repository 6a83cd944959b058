/// <reference lib="deno.unstable" />
import { findLayer, toRepositoryPath } from "./layers.ts";

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
    const path = toRepositoryPath(context.filename);
    const layer = findLayer(path);
    if (!layer) return {};
    return {
      Program: ({ body }) => {
        for (const statement of body) {
          if (!DECLARATIONS.has(statement.type) && layer !== "program") {
            context.report({ node: statement, message: `${path} has a side effect at import` });
          }
          if (layer !== "singleton" && isVariable(statement)) {
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
