import type { Source } from "./source.ts";

/** The names of Node that comments mention and no code contains. */
const NODE_NAMES = new Set(["clientError"]);

const IDENTIFIER_PATTERN = /[A-Za-z$][\w$]*/gu;
/**
 * An identifier in backticks: in camel case, unlike an English word, and without underscores, unlike names of SQL and C.
 */
const QUOTED_NAME = /`(?:[A-Za-z]\w*\.)?#?(?<name>[A-Za-z][a-z\d]*[A-Z][A-Za-z\d]*)(?:\(\))?`/gu;

/** Returns one line per name that a comment has in backticks and that no code of the repository contains. */
export function findDeadNames(sources: readonly Source[]): readonly string[] {
  // Strings count too: code uses them to name things of browsers and databases.
  const codeNames = new Set(sources.flatMap(({ code }) => code.match(IDENTIFIER_PATTERN) ?? []));
  return sources.flatMap(({ path, comments }) =>
    comments.flatMap(({ text, line }) =>
      [...text.matchAll(QUOTED_NAME)]
        .map(({ groups }) => groups?.["name"] ?? "")
        .filter((name) => !codeNames.has(name) && !NODE_NAMES.has(name))
        .map((name) => `${path}:${line} names \`${name}\`, which no code has`),
    ),
  );
}
