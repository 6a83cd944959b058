/// <reference lib="deno.unstable" />
/** Role of an identifier where it stands: it names something anew, reads something, or is a mere label. */
export type IdentifierRole = "declaration" | "reference" | "label";

/** Says what an identifier does where it stands. */
export function classifyIdentifier(node: Deno.lint.Identifier): IdentifierRole {
  const parent = node.parent;
  switch (parent.type) {
    case "MemberExpression":
      return parent.property === node && !parent.computed ? "label" : "reference";
    case "TSQualifiedName":
      return parent.right === node ? "label" : "reference";
    case "Property":
      return classifyInProperty(node, parent);
    case "PropertyDefinition":
    case "MethodDefinition":
      return parent.key === node && !parent.computed ? "label" : "reference";
    case "VariableDeclarator":
      return parent.id === node ? "declaration" : "reference";
    case "AssignmentPattern":
      return parent.left === node ? "declaration" : "reference";
    case "ArrowFunctionExpression":
      return parent.body === node ? "reference" : "declaration";
    case "ArrayPattern":
    case "RestElement":
    case "CatchClause":
    case "ClassDeclaration":
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSTypeParameter":
      return "declaration";
    case "ImportSpecifier":
      return parent.local.name === node.name ? "declaration" : "label";
    case "ExportSpecifier":
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
    case "TSFunctionType":
    case "TSMethodSignature":
    case "TSPropertySignature":
    case "TSNamedTupleMember":
    case "TSCallSignatureDeclaration":
    case "TSIndexSignature":
      return "label";
    default:
      return "reference";
  }
}

function classifyInProperty(node: Deno.lint.Identifier, property: Deno.lint.Property): IdentifierRole {
  // `{ name }` is one identifier in two places; it counts as the value.
  if (property.key === node && property.value !== node && !property.computed && !property.shorthand) return "label";
  if (property.shorthand && property.key === node) return "label";
  return property.parent.type === "ObjectPattern" ? "declaration" : "reference";
}
