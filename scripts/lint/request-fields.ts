// A lint rule: fields that a caller sent must be named one by one. A spread copies unexpected fields too, and one of them may
// override the identity of the caller.
import type { RuleTester } from "oxlint/plugins-dev";

type Rule = Extract<Parameters<RuleTester["run"]>[1], { create: unknown }>;
type Context = Parameters<Rule["create"]>[0];
type Visitor = ReturnType<Rule["create"]>;
type Node = Parameters<NonNullable<Visitor["SpreadElement"]>>[0]["argument"];
type Variable = ReturnType<Context["sourceCode"]["getScope"]>["variables"][number];

/** The properties of a request that its caller controls. */
const CALLER_PARTS = new Set(["body", "query", "params", "headers"]);

const message =
  "A caller filled this object: name the fields that are taken from it, since an unexpected one may override yours.";

/**
 * Forbids spreading or assigning a request's body, query, params or headers into another object, and rest patterns on
 * them.
 */
export const noRequestSpread: Rule = {
  meta: { type: "problem" },
  create(context) {
    const report = (node: Node) => {
      if (isFromCaller(node, context)) context.report({ node, message });
    };
    return {
      SpreadElement: ({ argument, parent }) => {
        if (parent.type === "ObjectExpression") report(argument);
      },
      CallExpression: ({ callee, arguments: args }) => {
        if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
        if (callee.property.name !== "assign") return;
        for (const argument of args) if (argument.type !== "SpreadElement") report(argument);
      },
      VariableDeclarator: ({ id, init }) => {
        if (id.type !== "ObjectPattern" || init === null) return;
        if (id.properties.some(({ type }) => type === "RestElement")) report(init);
      },
    };
  },
};

/** Returns whether a node is a property that the caller controls, a value inside one, or a variable that holds one. */
function isFromCaller(node: Node, context: Context): boolean {
  if (node.type === "MemberExpression") {
    if (node.property.type === "Identifier" && CALLER_PARTS.has(node.property.name)) return true;
    return isFromCaller(node.object, context);
  }
  if (node.type === "Identifier") {
    return holdsCallerPart(findVariable(node.name, context.sourceCode.getScope(node)), context);
  }
  return listInnerExpressions(node).some((inner) => isFromCaller(inner, context));
}

/** Returns the inner expressions that an expression may evaluate to. */
function listInnerExpressions(node: Node): readonly Node[] {
  if (node.type === "LogicalExpression") return [node.left, node.right];
  if (node.type === "ConditionalExpression") return [node.consequent, node.alternate];
  const isWrapper =
    node.type === "ChainExpression" ||
    node.type === "ParenthesizedExpression" ||
    node.type === "TSAsExpression" ||
    node.type === "TSNonNullExpression" ||
    node.type === "TSSatisfiesExpression";
  return isWrapper ? [node.expression] : [];
}

function findVariable(
  name: string,
  scope: ReturnType<Context["sourceCode"]["getScope"]> | null,
): Variable | undefined {
  if (scope === null) return undefined;
  return scope.set.get(name) ?? findVariable(name, scope.upper);
}

/** Returns whether a variable holds a property that the caller controls, by its declaration or as a parameter. */
function holdsCallerPart(variable: Variable | undefined, context: Context): boolean {
  if (variable === undefined) return false;
  return variable.defs.some(({ node, name }) => {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier") {
      return node.init !== null && isFromCaller(node.init, context);
    }
    const { parent } = name;
    if (parent.type !== "Property" || parent.key.type !== "Identifier") return false;
    return CALLER_PARTS.has(parent.key.name);
  });
}
