import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqlite } from "../server/src/database/database.ts";
import { migrate } from "../server/src/database/migration.ts";

/** A statement from SQLite's schema table. */
export interface Statement {
  readonly table: string;
  readonly name: string;
  readonly sql: string;
}

const HEADER = "-- Written by `npm run dump` from the migrations; never edited.";

/** Returns the SQL of an empty database after all migrations, in one normal form. */
export async function dumpSchema(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-dump-"));
  try {
    const path = join(folder, "schema.db");
    const database = openSqlite(path);
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    return formatDump(readStatements(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the tables sorted by name, each followed by its indexes and triggers sorted by name. */
export function formatDump(statements: readonly Statement[]): string {
  const getSortKey = ({ table, name }: Statement) => (name === table ? table : `${table} ${name}`);
  const sorted = statements.toSorted((a, b) => (getSortKey(a) < getSortKey(b) ? -1 : 1));
  return `${[HEADER, ...sorted.map(({ sql }) => `${normalizeSql(sql)};`)].join("\n\n")}\n`;
}

/** Returns a statement with single spaces; a table has one line per column and constraint. */
export function normalizeSql(sql: string): string {
  const tokens = sql.match(TOKEN_PATTERN) ?? [];
  return /^\s*create table/iu.test(sql) ? formatTable(tokens) : joinTokens(tokens);
}

function formatTable(tokens: readonly string[]): string {
  let depth = 0;
  const lines = tokens.map((token) => {
    if (token === ")") depth -= 1;
    const outerDepth = depth;
    if (token === "(") depth += 1;
    if (token === "(" && outerDepth === 0) return "(\n  ";
    if (token === ")" && outerDepth === 0) return "\n)";
    if (token === "," && outerDepth === 1) return ",\n  ";
    return token;
  });
  return joinTokens(lines);
}

/** Collapses spaces to one; drops them before a comma and at line breaks. */
function joinTokens(tokens: readonly string[]): string {
  let text = "";
  for (const token of tokens) {
    if (/^\s*$/u.test(token)) text += /\s$/u.test(text) ? "" : " ";
    else text = /^[,\n]/u.test(token) ? text.trimEnd() + token : text + token;
  }
  return text.trim();
}

/** Matches tokens of SQL. Quoted strings and names are single tokens, because brackets in them have no meaning. */
const TOKEN_PATTERN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\s+|[(),]|[^\s(),'"]+/gu;

function readStatements(path: string): Statement[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    // Kysely's own tables record the migrations; SQLite's automatic indexes have no SQL.
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
