import { pronounOpenings } from "../comment-words.ts";
import type { Source } from "../source.ts";
import { isTest } from "./rooms.ts";

/** How many of all. */
export interface Share {
  readonly count: number;
  readonly all: number;
}

/** A comment must speak of a clock; `rollback` alone is a word of databases, too. */
const TURNED =
  /\b(?:set|sets|setting|turned|moved|rolled|goes|went|jumps|jumped) back\b|\bbackwards?\b|\brollback\b/iu;
const ROLLBACK_NAME = /clock_?rollback|rolled_?back|set_?back/iu;

/** Counts the names of types in `server/src` that more than one file defines. */
export function sharedTypeNames(sources: readonly Source[]): Share {
  const files = new Map<string, number>();
  for (const { types } of sources.filter(isOfServer)) {
    for (const name of new Set(types)) files.set(name, (files.get(name) ?? 0) + 1);
  }
  return { count: [...files.values()].filter((count) => count > 1).length, all: files.size };
}

/** Counts the comments of the repository that begin with a pronoun in the place of a subject. */
export function countPronounOpenings(sources: readonly Source[]): Share {
  const count = sources.reduce((sum, source) => sum + pronounOpenings(source).length, 0);
  return { count, all: sources.reduce((sum, { comments }) => sum + comments.length, 0) };
}

/** Counts the files of `server/src` that tell in a comment or a name of a clock that was set back. */
export function clockRollbackFiles(sources: readonly Source[]): number {
  return sources.filter(
    (source) =>
      isOfServer(source) &&
      (source.comments.some(({ text }) => tellsOfRollback(text)) ||
        source.names.some(({ name }) => ROLLBACK_NAME.test(name))),
  ).length;
}

function tellsOfRollback(comment: string): boolean {
  return /\bclocks?\b/iu.test(comment) && TURNED.test(comment);
}

function isOfServer({ path }: Source): boolean {
  return path.startsWith("server/src/") && !isTest(path);
}
