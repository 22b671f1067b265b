import { findPronounOpenings } from "../comment-words.ts";
import type { Source } from "../source.ts";
import { isTestFile } from "./rooms.ts";

/** A number of items, and their total. */
export interface Share {
  readonly count: number;
  readonly total: number;
}

/**
 * The words for a clock rollback. They count only in comments that mention a clock: transactions have rollbacks, too.
 */
const ROLLBACK_WORDS =
  /\b(?:set|sets|setting|turned|moved|rolled|goes|went|jumps|jumped) back\b|\bbackwards?\b|\brollback\b/iu;
const ROLLBACK_NAME = /clock_?rollback|rolled_?back|set_?back/iu;

/** Counts the names of types in `server/src` that more than one file defines. */
export function countSharedTypeNames(sources: readonly Source[]): Share {
  const files = new Map<string, number>();
  for (const { types } of sources.filter(isServerSource)) {
    for (const name of new Set(types)) files.set(name, (files.get(name) ?? 0) + 1);
  }
  return { count: [...files.values()].filter((count) => count > 1).length, total: files.size };
}

/** Counts the comments that begin with a pronoun instead of a subject. */
export function countPronounOpenings(sources: readonly Source[]): Share {
  const count = sources.reduce((sum, source) => sum + findPronounOpenings(source).length, 0);
  return { count, total: sources.reduce((sum, { comments }) => sum + comments.length, 0) };
}

/** Counts the files of `server/src` that mention a clock rollback in a comment or a name. */
export function countClockRollbackFiles(sources: readonly Source[]): number {
  return sources.filter(
    (source) =>
      isServerSource(source) &&
      (source.comments.some(({ text }) => mentionsRollback(text)) ||
        source.names.some(({ name }) => ROLLBACK_NAME.test(name))),
  ).length;
}

function mentionsRollback(comment: string): boolean {
  return /\bclocks?\b/iu.test(comment) && ROLLBACK_WORDS.test(comment);
}

function isServerSource({ path }: Source): boolean {
  return path.startsWith("server/src/") && !isTestFile(path);
}
