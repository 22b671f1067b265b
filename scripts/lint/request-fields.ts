// A rule of the linter: fields that a caller sent are named one by one. A spread takes along fields that no one expects,
// and one of them may override who asks.
import type { RuleTester } from "oxlint/plugins-dev";

type Rule = Extract<Parameters<RuleTester["run"]>[1], { create: unknown }>;
type Context = Parameters<Rule["create"]>[0];
type Visitor = ReturnType<Rule["create"]>;
type Node = Parameters<NonNullable<Visitor["SpreadElement"]>>[0]["argument"];
type Variable = ReturnType<Context["sourceCode"]["getScope"]>["variables"][number];

/** The parts of a request that its caller fills. */
const PARTS = new Set(["body", "query", "params", "headers"]);

const message =
  "A caller filled this object: name the fields that are taken from it, since an unexpected one may override yours.";

/** Refuses to spread or assign a request's body, query, params or headers into another object, or to take their rest. */
export const noRequestSpread: Rule = {
  meta: { type: "problem" },
  create(context) {
    const refuse = (node: Node) => {
      if (isFromCaller(node, context)) context.report({ node, message });
    };
    return {
      SpreadElement: ({ argument, parent }) => {
        if (parent.type === "ObjectExpression") refuse(argument);
      },
      CallExpression: ({ callee, arguments: given }) => {
        if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
        if (callee.property.name !== "assign") return;
        for (const argument of given) if (argument.type !== "SpreadElement") refuse(argument);
      },
      VariableDeclarator: ({ id, init }) => {
        if (id.type !== "ObjectPattern" || init === null) return;
        if (id.properties.some(({ type }) => type === "RestElement")) refuse(init);
      },
    };
  },
};

/** True for a part of a request, for what is inside it, and for a variable that holds one. */
function isFromCaller(node: Node, context: Context): boolean {
  if (node.type === "MemberExpression") {
    if (node.property.type === "Identifier" && PARTS.has(node.property.name)) return true;
    return isFromCaller(node.object, context);
  }
  if (node.type === "Identifier") {
    return holdsPart(variableOf(node.name, context.sourceCode.getScope(node)), context);
  }
  return wrappedIn(node).some((inner) => isFromCaller(inner, context));
}

/** Returns the expressions whose value an expression may have. */
function wrappedIn(node: Node): readonly Node[] {
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

function variableOf(
  name: string,
  scope: ReturnType<Context["sourceCode"]["getScope"]> | null,
): Variable | undefined {
  if (scope === null) return undefined;
  return scope.set.get(name) ?? variableOf(name, scope.upper);
}

/** True where the variable was taken out of a request, by its declaration or as a parameter. */
function holdsPart(variable: Variable | undefined, context: Context): boolean {
  if (variable === undefined) return false;
  return variable.defs.some(({ node, name }) => {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier") {
      return node.init !== null && isFromCaller(node.init, context);
    }
    const { parent } = name;
    if (parent.type !== "Property" || parent.key.type !== "Identifier") return false;
    return PARTS.has(parent.key.name);
  });
}
