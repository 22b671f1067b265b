import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqlite } from "../server/src/database/database.ts";
import { migrate } from "../server/src/database/migration.ts";

/** A statement of SQLite's own catalogue. */
export interface Statement {
  readonly table: string;
  readonly name: string;
  readonly sql: string;
}

const HEADER = "-- Written by `npm run dump` from the migrations; never edited.";

/** Returns the SQL of an empty database after all migrations, in one normal form. */
export async function schemaDump(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-dump-"));
  try {
    const path = join(folder, "schema.db");
    const database = openSqlite(path);
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    return dumpOf(readStatements(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns tables by name, each followed by what hangs on it by name, whatever order made them. */
export function dumpOf(statements: readonly Statement[]): string {
  const key = ({ table, name }: Statement) => (name === table ? table : `${table} ${name}`);
  const sorted = statements.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  return `${[HEADER, ...sorted.map(({ sql }) => `${normalSql(sql)};`)].join("\n\n")}\n`;
}

/** Returns a statement with single spaces; a table has one line per column and constraint. */
export function normalSql(sql: string): string {
  const tokens = sql.match(TOKENS) ?? [];
  return /^\s*create table/iu.test(sql) ? oneLinePerPart(tokens) : joined(tokens);
}

function oneLinePerPart(tokens: readonly string[]): string {
  let depth = 0;
  const lines = tokens.map((token) => {
    if (token === ")") depth -= 1;
    const outer = depth;
    if (token === "(") depth += 1;
    if (token === "(" && outer === 0) return "(\n  ";
    if (token === ")" && outer === 0) return "\n)";
    if (token === "," && outer === 1) return ",\n  ";
    return token;
  });
  return joined(lines);
}

/** One space for many; none before a comma, or where the line breaks anyway. */
function joined(tokens: readonly string[]): string {
  let text = "";
  for (const token of tokens) {
    if (/^\s*$/u.test(token)) text += /\s$/u.test(text) ? "" : " ";
    else text = /^[,\n]/u.test(token) ? text.trimEnd() + token : text + token;
  }
  return text.trim();
}

/** Quoted texts and names stay whole: a bracket or comma in them means nothing. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\s+|[(),]|[^\s(),'"]+/gu;

function readStatements(path: string): Statement[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    // Kysely's own tables remember the migrations; SQLite's own indexes have no SQL.
    const query =
      "select tbl_name, name, sql from sqlite_schema where sql is not null and tbl_name not like 'kysely_%'";
    return db
      .prepare(query)
      .all()
      .map(({ tbl_name, name, sql }) => ({
        table: String(tbl_name),
        name: String(name),
        sql: String(sql),
      }));
  } finally {
    db.close();
  }
}
