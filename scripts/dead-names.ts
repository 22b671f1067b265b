import type { Source } from "./source.ts";

/** Names of Node that comments tell of and no code says. */
const OF_NODE = new Set(["clientError"]);

const IDENTIFIER = /[A-Za-z$][\w$]*/gu;
/** A function, type or property in backticks: with a hump, so that it is no word of English, and no underscore, as SQL and C have. */
const NAMED = /`(?:[A-Za-z]\w*\.)?#?(?<name>[A-Za-z][a-z\d]*[A-Z][A-Za-z\d]*)(?:\(\))?`/gu;

/** Returns one line per name in backticks in a comment that no code of the repository has. */
export function deadNames(sources: readonly Source[]): readonly string[] {
  // Texts as well, since code names things of browsers and databases in them.
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
