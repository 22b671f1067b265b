/** A separate process that inspects the SQLite file of its only argument and prints an `InspectionReport`. */
import { DatabaseSync } from "node:sqlite";

/** Output of the process, as JSON. */
export type InspectionReport =
  | {
      readonly kind: "read";
      readonly isSound: boolean;
      /** The migration steps that were applied to the file. */
      readonly steps: readonly string[];
    }
  | { readonly kind: "refused"; readonly code: number | null };

const BUSY_TIMEOUT_MS = 5_000;

process.stdout.write(JSON.stringify(inspect(process.argv[2] ?? "")));

function inspect(path: string): InspectionReport {
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    const [first] = database.prepare("pragma quick_check(1)").all();
    return { kind: "read", isSound: first?.["quick_check"] === "ok", steps: stepsOf(database) };
  } catch (error) {
    const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : null;
    return { kind: "refused", code };
  }
}

/** Kysely stores the steps in its own table, which a new file lacks. */
function stepsOf(database: DatabaseSync): readonly string[] {
  const hasTable = database
    .prepare("select 1 from sqlite_schema where type = 'table' and name = 'kysely_migration'")
    .get();
  if (hasTable === undefined) return [];
  const rows = database.prepare("select name from kysely_migration order by name").all();
  return rows.map(({ name }) => String(name));
}
