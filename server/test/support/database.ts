import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { PoolClient } from "pg";
import { pino } from "pino";
import type { Database } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import { prepareDays } from "#database/prepare-days.ts";
import { openDatabase, type DatabaseLocation } from "#database/open.ts";
import { openPostgres } from "#database/postgres.ts";
import { SqliteError } from "#database/sqlite-thread.ts";
import { applyLaterMigration } from "./later-schema.ts";
import { writeMigratedDatabase } from "./write-migrated-database.ts";
import { withDatabaseName, runAsAdministrator } from "./postgres-administrator.ts";
import { createDataFolder } from "./temporary-folder.ts";

/** The PostgreSQL server for tests, on which they create databases; null if they run on SQLite. */
const SERVER_URL = process.env["TOCSIN_TEST_DATABASE_URL"] ?? null;

/** Whether tests run on a database that a later version has migrated. */
const HAS_LATER_SCHEMA = process.env["TOCSIN_TEST_LATER_SCHEMA"] !== undefined;

/** Test options: runs only on SQLite. */
export const ON_SQLITE = {
  skip: SERVER_URL === null ? false : "Only for SQLite; the tests run on PostgreSQL.",
};

/** Test options: runs on one database only, because the result is the same on both. */
export const ON_ONE_DATABASE = {
  skip: SERVER_URL === null ? false : "Does not depend on the database, and runs on SQLite.",
};

/** Test options: runs only on PostgreSQL, where several processes may share a database. */
export const ON_POSTGRES = {
  skip: SERVER_URL === null ? "Only for PostgreSQL; a SQLite file belongs to one process." : false,
};

/** Test options: runs only on the tables of this version. */
export const ON_CURRENT_SCHEMA = {
  skip:
    HAS_LATER_SCHEMA &&
    "Only for the tables of this version; the database has those of a later one.",
};

/** Test options: runs only on PostgreSQL with the tables of this version. */
export const ON_POSTGRES_WITH_CURRENT_SCHEMA = { skip: ON_POSTGRES.skip || ON_CURRENT_SCHEMA.skip };

/** Returns the local port of the tests' PostgreSQL server. */
export function getDatabasePort(): number {
  return Number(new URL(SERVER_URL ?? "").port);
}

/** Returns an error like the one that the database throws while it cannot be written to. */
export function createUnavailableError(): Error {
  if (SERVER_URL === null) return new SqliteError("database is locked", SQLITE_BUSY);
  return Object.assign(new Error("the database system is shutting down"), { code: "57P03" });
}

/** SQLITE_BUSY of sqlite.org/rescode.html. */
const SQLITE_BUSY = 5;

/** A test's database: a SQLite file, or a separate database on the tests' PostgreSQL server. */
export interface TestDatabase {
  readonly location: DatabaseLocation;
  /** Adds a user of the database. A PostgreSQL database is dropped when the last user has called `release`. */
  readonly acquire: () => void;
  /** Removes a user of the database. */
  readonly release: () => Promise<void>;
}

/** Options of `createDatabase`. */
export interface TestDatabaseOptions {
  /** On PostgreSQL: creates the partitions of today and the coming days, as a first start does. */
  readonly hasDayPartitions?: boolean;
}

/** Creates a database. On PostgreSQL it has all tables, because copying a template is cheaper than migrating. */
export async function createDatabase(
  test: TestContext,
  { hasDayPartitions = false }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  if (SERVER_URL === null) {
    const path = join(await createDataFolder(test), "tocsin.db");
    return { location: { kind: "sqlite", path }, acquire() {}, async release() {} };
  }
  const name = `tocsin_test_${randomBytes(8).toString("hex")}`;
  await runAsAdministrator(SERVER_URL, async (client) => {
    const template = await getTemplate(client, { url: SERVER_URL, hasDayPartitions });
    // Copying files is twice as fast as copying through the write-ahead log.
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  let userCount = 0;
  return {
    location: { kind: "postgres", url: withDatabaseName(SERVER_URL, name) },
    acquire() {
      userCount += 1;
    },
    async release() {
      userCount -= 1;
      if (userCount > 0) return;
      await runAsAdministrator(SERVER_URL, (client) => dropDatabase(client, name));
    },
  };
}

/** Maximum number of checks for open connections before a database is dropped. */
const CONNECTION_CHECKS_MAX = 100;

/**
 * Drops a database once its connections have ended, which takes a few milliseconds after they were closed. The server
 * itself would look again only after 100 ms.
 */
async function dropDatabase(client: PoolClient, name: string): Promise<void> {
  for (let check = 0; check < CONNECTION_CHECKS_MAX; check += 1) {
    const { rowCount } = await client.query("select from pg_stat_activity where datname = $1", [
      name,
    ]);
    if (rowCount === 0) break;
  }
  await client.query(`drop database ${name} with (force)`);
}

/** On SQLite: writes a migrated database file to a new data folder. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  if (SERVER_URL === null) await writeMigratedDatabase(join(dataDir, "tocsin.db"));
}

/** Creates and opens a database with all tables, which is removed when the test ends. */
export async function openTestDatabase(test: TestContext): Promise<Database> {
  const { location, acquire, release } = await createDatabase(test);
  if (location.kind === "sqlite") await writeMigratedDatabase(location.path);
  const database = openDatabase(location, pino({ level: "silent" }));
  acquire();
  test.after(async () => {
    await database.close();
    await release();
  });
  return database;
}

/** Templates of this process by name. */
const templates = new Map<string, Promise<string>>();

/** Creates the template database with all tables, once per state of the migrations. Returns its name. */
function getTemplate(
  client: PoolClient,
  { url, hasDayPartitions }: { readonly url: string; readonly hasDayPartitions: boolean },
): Promise<string> {
  const name = `tocsin_template_${getMigrationFingerprint()}${hasDayPartitions ? "_days" : ""}${HAS_LATER_SCHEMA ? "_later" : ""}`;
  const template = templates.get(name) ?? ensureTemplate(client, { url, name, hasDayPartitions });
  templates.set(name, template);
  return template;
}

async function ensureTemplate(
  client: PoolClient,
  {
    url,
    name,
    hasDayPartitions,
  }: { readonly url: string; readonly name: string; readonly hasDayPartitions: boolean },
): Promise<string> {
  const hasTemplate = async () => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    return rowCount === 1;
  };
  if (await hasTemplate()) return name;
  // Test files run concurrently, and one of them creates the template.
  await client.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
  try {
    if (!(await hasTemplate())) await createTemplate(client, { url, name, hasDayPartitions });
  } finally {
    await client.query("select pg_advisory_unlock($1)", [TEMPLATE_LOCK]);
  }
  return name;
}

/** Creates the template under a temporary name, and renames it when it is complete. */
async function createTemplate(
  client: PoolClient,
  {
    url,
    name,
    hasDayPartitions,
  }: { readonly url: string; readonly name: string; readonly hasDayPartitions: boolean },
): Promise<void> {
  const temporaryName = `${name}_${randomBytes(4).toString("hex")}`;
  await client.query(`create database ${temporaryName} template template0 encoding 'UTF8'`);
  const database = openPostgres({ url: withDatabaseName(url, temporaryName) });
  await migrate(database);
  // Creating partitions takes longer than everything else here.
  if (hasDayPartitions) await prepareDays(database, { now: Date.now() });
  if (HAS_LATER_SCHEMA) await applyLaterMigration(database);
  await database.close();
  await client.query(`alter database ${temporaryName} rename to ${name}`);
}

/** The key of the advisory lock for creating templates. Any number that nothing else uses. */
const TEMPLATE_LOCK = 7_063_351;
const DATABASE_FOLDER = join(import.meta.dirname, "../../src/database");

let cachedFingerprint: string | null = null;

function getMigrationFingerprint(): string {
  return (cachedFingerprint ??= computeMigrationFingerprint());
}

function computeMigrationFingerprint(): string {
  const hash = createHash("sha256");
  for (const file of readdirSync(DATABASE_FOLDER, {
    recursive: true,
    encoding: "utf8",
  }).toSorted()) {
    if (file.endsWith(".ts")) hash.update(readFileSync(join(DATABASE_FOLDER, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
