import { parseSync, Visitor } from "rolldown/utils";

/** Name of the global function that instrumented code calls with the start of each entered function. */
export const ENTERED_FUNCTION = "__entered";

interface Insertion {
  readonly position: number;
  readonly text: string;
}

/**
 * Returns the source of a module with a call of the global `__entered` at the start of each function. The call passes
 * the start as `path:line:column`. Line numbers do not change, so stack traces stay correct.
 */
export function instrumentSource(path: string, source: string): string {
  const insertions: Insertion[] = [];
  const createCall = (offset: number) =>
    `${ENTERED_FUNCTION}(${JSON.stringify(`${path}:${formatPosition(source, offset)}`)})`;
  const instrumentBlock = ({ start, body }: FunctionNode) => {
    if (body !== null) insertions.push({ position: body.start + 1, text: `${createCall(start)};` });
  };
  new Visitor({
    FunctionDeclaration: instrumentBlock,
    FunctionExpression: instrumentBlock,
    ArrowFunctionExpression: ({ start, body, expression }) => {
      if (!expression) instrumentBlock({ start, body });
      else {
        insertions.push(
          { position: body.start, text: `(${createCall(start)},` },
          { position: body.end, text: ")" },
        );
      }
    },
  }).visit(parse(path, source));
  return insertAll(source, insertions);
}

interface FunctionNode {
  readonly start: number;
  /** Null for the signature of an overload. */
  readonly body: { readonly start: number } | null;
}

function parse(path: string, source: string) {
  const { program, errors } = parseSync(path, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`);
  return program;
}

/** Returns line and column, both from 1, as in `12:5`. */
function formatPosition(source: string, offset: number): string {
  const textBefore = source.slice(0, offset);
  const column = offset - textBefore.lastIndexOf("\n");
  return `${textBefore.split("\n").length}:${column}`;
}

function insertAll(source: string, insertions: readonly Insertion[]): string {
  let text = "";
  let from = 0;
  for (const { position, text: insertedText } of insertions.toSorted(
    (a, b) => a.position - b.position,
  )) {
    text += source.slice(from, position) + insertedText;
    from = position;
  }
  return text + source.slice(from);
}
