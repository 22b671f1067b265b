import { inspectSqlite } from "#database/inspect.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

/** Looks whether the database can be read and is sound; a server may run on it meanwhile. */
export async function checkDatabase(path: string, signal: AbortSignal): Promise<Verdict> {
  const found = await inspectSqlite(path, signal);
  switch (found.kind) {
    case "missing":
      return ok(`${path} will be made at the first start.`);
    case "sound":
      return judgeSteps(path, found);
    case "damaged":
      return fail(
        `The database ${path} is damaged.`,
        "Stop the server, keep a copy of the file, and restore a backup.",
      );
    case "unreadable":
      return fail(
        `The database ${path} cannot be opened (SQLite error ${found.code ?? "unknown"}).`,
        "Run tocsin doctor as the user that runs the server, and look at the rights of the file.",
      );
    case "unfinished":
      return warn(
        `The look at ${path} was ended before its end; no fault was seen until then.`,
        "Look at it when there is time: sqlite3 FILE 'pragma quick_check'",
      );
  }
}

interface Steps {
  readonly pending: readonly string[];
  readonly unknown: readonly string[];
}

function judgeSteps(path: string, { pending, unknown }: Steps): Verdict {
  if (unknown.length > 0) {
    return fail(
      `The database ${path} was used by a later version of Tocsin.`,
      "Run that version or a later one, or restore a backup from before.",
    );
  }
  if (pending.length > 0) {
    return ok(`${path} is sound; the next start brings it up to date (${pending.join(", ")}).`);
  }
  return ok(`${path} is sound and up to date.`);
}
