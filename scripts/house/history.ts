import { spawnSync } from "node:child_process";
import { ROOT } from "../files.ts";

/** The commit after which every change of behaviour explains its reasons in the commit body. */
export const COMMIT_BODIES_REQUIRED_SINCE = "48fbfb463ec34501a383fc64b7749865d1029d35";

/** A commit as `git log` prints it. */
export interface Commit {
  readonly subject: string;
  readonly hasBody: boolean;
  /** The paths that the commit adds, changes or removes. */
  readonly files: readonly string[];
}

/** Files that `npm run dump` or a package manager writes. */
const GENERATED_FILES: ReadonlySet<string> = new Set([
  "docs/api.md",
  "docs/command-line.md",
  "docs/examples/tocsin.py",
  "package-lock.json",
  "server/openapi.json",
  "server/src/database/schema.sql",
]);

const ENTRY_START = "\u001E";
const PART_SEPARATOR = "\u001F";
const LOG_FORMAT = `--format=${ENTRY_START}%s${PART_SEPARATOR}%b${PART_SEPARATOR}`;

/**
 * Returns the commits since `COMMIT_BODIES_REQUIRED_SINCE`, newest first; null if the clone does not contain that
 * commit.
 */
export function readHistory(): readonly Commit[] | null {
  const args = [
    "log",
    "--no-merges",
    "--name-only",
    LOG_FORMAT,
    `${COMMIT_BODIES_REQUIRED_SINCE}..HEAD`,
  ];
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? parseHistory(stdout) : null;
}

/** Parses the output of `git log` in the format of `readHistory`. */
export function parseHistory(text: string): readonly Commit[] {
  return text
    .split(ENTRY_START)
    .slice(1)
    .map((entry) => {
      const [subject = "", body = "", files = ""] = entry.split(PART_SEPARATOR);
      const paths = files.split("\n").filter((path) => path !== "");
      return { subject, hasBody: body.trim() !== "", files: paths };
    });
}

/**
 * Returns the number of hand-written files that the newest commit whose subject contains the word touches; null if
 * there is no such commit.
 */
export function countTouchedFiles(word: string, history: readonly Commit[]): number | null {
  const commit = history.find(({ subject }) => new RegExp(`\\b${word}\\b`, "iu").test(subject));
  return commit?.files.filter((file) => !GENERATED_FILES.has(file)).length ?? null;
}
