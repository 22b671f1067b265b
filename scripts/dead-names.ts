import type { ReadText } from "./texts.ts";

/** Names of Node that comments tell of and no code says. */
const OF_NODE = new Set(["clientError"]);

const TOKENS = /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/gu;
const IDENTIFIER = /[A-Za-z$][\w$]*/gu;
/** A function, type or property in backticks: with a hump, so that it is no word of English, and no underscore, as SQL and C have. */
const NAMED = /`(?:[A-Za-z]\w*\.)?#?(?<name>[A-Za-z][a-z\d]*[A-Z][A-Za-z\d]*)(?:\(\))?`/gu;

interface Source {
  readonly path: string;
  readonly code: string;
  readonly comments: readonly { readonly text: string; readonly line: number }[];
}

/** Returns one line per name in backticks in a comment that no code of the repository has. */
export function deadNames(files: readonly string[], read: ReadText): readonly string[] {
  const sources = files
    .filter((path) => /\.(?:ts|tsx|mjs)$/u.test(path))
    .map((path) => split(path, read(path)));
  const known = new Set(sources.flatMap(({ code }) => code.match(IDENTIFIER) ?? []));
  return sources.flatMap(({ path, comments }) =>
    comments.flatMap(({ text, line }) =>
      [...text.matchAll(NAMED)]
        .map(({ groups }) => groups?.["name"] ?? "")
        .filter((name) => !known.has(name) && !OF_NODE.has(name))
        .map((name) => `${path}:${line} names \`${name}\`, which no code has`),
    ),
  );
}

function split(path: string, source: string): Source {
  const comments: { text: string; line: number }[] = [];
  const code = source.replaceAll(TOKENS, (token, offset: number) => {
    if (!token.startsWith("/")) return token;
    comments.push({ text: token, line: source.slice(0, offset).split("\n").length });
    return " ";
  });
  return { path, code, comments };
}
