import { spawnSync } from "node:child_process";
import { ROOT } from "../files.ts";

/** The commit after which every change of behaviour explains its reasons in the commit body. */
export const BODIES_SINCE = "48fbfb463ec34501a383fc64b7749865d1029d35";

/** A commit as `git log` prints it. */
export interface Change {
  readonly subject: string;
  readonly hasBody: boolean;
  /** The paths that it adds, changes or removes. */
  readonly files: readonly string[];
}

/** Files that `npm run dump` or a package manager writes. */
const GENERATED: ReadonlySet<string> = new Set([
  "docs/command-line.md",
  "docs/examples/tocsin.py",
  "package-lock.json",
  "server/openapi.json",
  "server/src/database/schema.sql",
]);

const START = "\u001E";
const PART = "\u001F";
const FORMAT = `--format=${START}%s${PART}%b${PART}`;

/** Returns the commits since `BODIES_SINCE`, newest first; null if the clone does not contain that commit. */
export function readHistory(): readonly Change[] | null {
  const args = ["log", "--no-merges", "--name-only", FORMAT, `${BODIES_SINCE}..HEAD`];
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? parseHistory(stdout) : null;
}

/** Parses the output of `git log` in the format of `readHistory`. */
export function parseHistory(text: string): readonly Change[] {
  return text
    .split(START)
    .slice(1)
    .map((entry) => {
      const [subject = "", body = "", files = ""] = entry.split(PART);
      const names = files.split("\n").filter((name) => name !== "");
      return { subject, hasBody: body.trim() !== "", files: names };
    });
}

/** Returns the number of hand-written files that the newest commit with a word in its subject touches; null without one. */
export function countTouchedFiles(word: string, history: readonly Change[]): number | null {
  const change = history.find(({ subject }) => new RegExp(`\\b${word}\\b`, "iu").test(subject));
  return change?.files.filter((file) => !GENERATED.has(file)).length ?? null;
}
