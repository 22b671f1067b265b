/** A separate process that inspects the SQLite file in its only argument and prints an `InspectorOutput`. */
import { DatabaseSync } from "node:sqlite";

/** The output of the process, in JSON. */
export type InspectorOutput =
  | {
      readonly kind: "read";
      readonly isSound: boolean;
      /** The names of the migrations that were applied to the file. */
      readonly migrations: readonly string[];
    }
  | { readonly kind: "refused"; readonly code: number | null };

const BUSY_TIMEOUT_MS = 5_000;

process.stdout.write(JSON.stringify(inspect(process.argv[2] ?? "")));

function inspect(path: string): InspectorOutput {
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    const [result] = database.prepare("pragma quick_check(1)").all();
    return {
      kind: "read",
      isSound: result?.["quick_check"] === "ok",
      migrations: listMigrationNames(database),
    };
  } catch (error) {
    const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : null;
    return { kind: "refused", code };
  }
}

/** Kysely stores the names in its own table, which a new file lacks. */
function listMigrationNames(database: DatabaseSync): readonly string[] {
  const hasTable = database
    .prepare("select 1 from sqlite_schema where type = 'table' and name = 'kysely_migration'")
    .get();
  if (hasTable === undefined) return [];
  const rows = database.prepare("select name from kysely_migration order by name").all();
  return rows.map(({ name }) => String(name));
}
