import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { PoolClient } from "pg";
import { pino } from "pino";
import type { Database } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { openDatabase, type DatabasePlace } from "#database/open.ts";
import { openPostgres } from "#database/postgres.ts";
import { SqliteError } from "#database/sqlite-thread.ts";
import { applyLaterMigration } from "./later-schema.ts";
import { writeTables } from "./sqlite-tables.ts";
import { named, onServer } from "./postgres-administrator.ts";
import { dataFolder } from "./temporary-folder.ts";

/** The PostgreSQL server for tests, on which they create databases; null if they run on SQLite. */
const SERVER_URL = process.env["TOCSIN_TEST_DATABASE_URL"] ?? null;

/** True if tests run on a database that a later version has migrated. */
const IS_LATER = process.env["TOCSIN_TEST_LATER_SCHEMA"] !== undefined;

/** Test options: runs only on SQLite. */
export const ON_SQLITE = {
  skip: SERVER_URL === null ? false : "Only for SQLite; the tests run on PostgreSQL.",
};

/** Test options: runs only once, because it does not depend on the database. */
export const ON_ANY_DATABASE = {
  skip: SERVER_URL === null ? false : "Does not depend on the database, and runs on SQLite.",
};

/** Test options: runs only on PostgreSQL, with several processes on one database. */
export const ON_POSTGRES = {
  skip: SERVER_URL === null ? "Only for PostgreSQL; a SQLite file belongs to one process." : false,
};

/** Test options: runs only on the tables of this version. */
export const ON_OWN_TABLES = {
  skip: IS_LATER && "Only for the tables of this version; the database has those of a later one.",
};

/** Test options: runs only on PostgreSQL with the tables of this version. */
export const ON_OWN_POSTGRES = { skip: ON_POSTGRES.skip || ON_OWN_TABLES.skip };

/** Returns the local port of the tests' PostgreSQL server. */
export function databasePort(): number {
  return Number(new URL(SERVER_URL ?? "").port);
}

/** Returns an error like the one that the database throws while it cannot be written. */
export function unavailableError(): Error {
  if (SERVER_URL === null) return new SqliteError("database is locked", BUSY);
  return Object.assign(new Error("the database system is shutting down"), { code: "57P03" });
}

/** SQLITE_BUSY of sqlite.org/rescode.html. */
const BUSY = 5;

/** A test's database: a SQLite file, or a separate database on the tests' PostgreSQL server. */
export interface TestDatabase {
  readonly place: DatabasePlace;
  /** Adds a user of the database. It is dropped when the last user has called `letGo`. */
  readonly hold: () => void;
  readonly letGo: () => Promise<void>;
}

export interface TestDatabaseOptions {
  /** On PostgreSQL: creates the partitions of today and the coming days, as a first start does. */
  readonly hasDays?: boolean;
}

/** Creates a database. On PostgreSQL it has all tables, because copying a template is cheaper than migrating. */
export async function createDatabase(
  test: TestContext,
  { hasDays = false }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  if (SERVER_URL === null) {
    const path = join(await dataFolder(test), "tocsin.db");
    return { place: { kind: "sqlite", path }, hold() {}, async letGo() {} };
  }
  const name = `tocsin_test_${randomBytes(8).toString("hex")}`;
  await onServer(SERVER_URL, async (server) => {
    const template = await findTemplate(server, { url: SERVER_URL, hasDays });
    // Copying files is twice as fast as copying through the write-ahead log.
    await server.query(`create database ${name} template ${template} strategy file_copy`);
  });
  let holders = 0;
  return {
    place: { kind: "postgres", url: named(SERVER_URL, name) },
    hold() {
      holders += 1;
    },
    async letGo() {
      holders -= 1;
      if (holders > 0) return;
      await onServer(SERVER_URL, (server) => server.query(`drop database ${name} with (force)`));
    },
  };
}

/** On SQLite: writes a migrated database file to a new data folder. */
export async function prepareFolder(dataDir: string): Promise<void> {
  if (SERVER_URL === null) await writeTables(join(dataDir, "tocsin.db"));
}

/** Creates and opens a database with all tables, which is removed when the test ends. */
export async function openTestDatabase(test: TestContext): Promise<Database> {
  const { place, hold, letGo } = await createDatabase(test);
  if (place.kind === "sqlite") await writeTables(place.path);
  const database = openDatabase(place, pino({ level: "silent" }));
  hold();
  test.after(async () => {
    await database.close();
    await letGo();
  });
  return database;
}

/** Templates of this process by name. */
const templates = new Map<string, Promise<string>>();

/** Creates the template database with all tables, once per state of the migrations. Returns its name. */
function findTemplate(
  server: PoolClient,
  { url, hasDays }: { readonly url: string; readonly hasDays: boolean },
): Promise<string> {
  const name = `tocsin_template_${fingerprint()}${hasDays ? "_days" : ""}${IS_LATER ? "_later" : ""}`;
  const known = templates.get(name) ?? ensureTemplate(server, { url, name, hasDays });
  templates.set(name, known);
  return known;
}

async function ensureTemplate(
  server: PoolClient,
  {
    url,
    name,
    hasDays,
  }: { readonly url: string; readonly name: string; readonly hasDays: boolean },
): Promise<string> {
  const exists = async () => {
    const { rowCount } = await server.query("select from pg_database where datname = $1", [name]);
    return rowCount === 1;
  };
  if (await exists()) return name;
  // Test files run concurrently, and one of them creates it.
  await server.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
  try {
    if (!(await exists())) await createTemplate(server, { url, name, hasDays });
  } finally {
    await server.query("select pg_advisory_unlock($1)", [TEMPLATE_LOCK]);
  }
  return name;
}

/** Creates the template under a temporary name, and renames it when it is complete. */
async function createTemplate(
  server: PoolClient,
  {
    url,
    name,
    hasDays,
  }: { readonly url: string; readonly name: string; readonly hasDays: boolean },
): Promise<void> {
  const temporaryName = `${name}_${randomBytes(4).toString("hex")}`;
  await server.query(`create database ${temporaryName} template template0 encoding 'UTF8'`);
  const database = openPostgres({ url: named(url, temporaryName) });
  await migrate(database);
  // Creating partitions takes longer than the rest of a start.
  if (hasDays) await prepareDays(database, { now: Date.now() });
  if (IS_LATER) await applyLaterMigration(database);
  await database.close();
  await server.query(`alter database ${temporaryName} rename to ${name}`);
}

const TEMPLATE_LOCK = 7_063_351;
const MIGRATIONS = join(import.meta.dirname, "../../src/database");

let known: string | null = null;

function fingerprint(): string {
  return (known ??= readFingerprint());
}

function readFingerprint(): string {
  const hash = createHash("sha256");
  for (const file of readdirSync(MIGRATIONS, { recursive: true, encoding: "utf8" }).toSorted()) {
    if (file.endsWith(".ts")) hash.update(readFileSync(join(MIGRATIONS, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
