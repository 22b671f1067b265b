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
import { takeLaterStep } from "./later-schema.ts";
import { writeTables } from "./sqlite-tables.ts";
import { named, onServer } from "./postgres-administrator.ts";
import { dataFolder } from "./temporary-folder.ts";

/** Set, tests run on PostgreSQL: the server on which they may make databases of their own. */
const SERVER = process.env["TOCSIN_TEST_DATABASE_URL"] ?? null;

/** Set, they run on a database that a version after this one has changed. */
const IS_LATER = process.env["TOCSIN_TEST_LATER_SCHEMA"] !== undefined;

/** For tests of what SQLite alone has. */
export const ON_SQLITE = {
  skip: SERVER === null ? false : "It is about SQLite, and the tests run on PostgreSQL.",
};

/** For tests of what is made of stored values, or stands before a server: others see to the storing on both engines. */
export const ON_ANY_DATABASE = {
  skip: SERVER === null ? false : "It is the same on every database: once is enough.",
};

/** For tests of what many processes on one PostgreSQL do. */
export const ON_POSTGRES = {
  skip: SERVER === null ? "A SQLite file belongs to one process: this is about PostgreSQL." : false,
};

/** For tests of what this version's own tables are taken for. */
export const ON_OWN_TABLES = {
  skip: IS_LATER && "It is about the tables of this version, and those here are of a later one.",
};

/** For those of what becomes of them on PostgreSQL. */
export const ON_OWN_POSTGRES = { skip: ON_POSTGRES.skip || ON_OWN_TABLES.skip };

/** The port on this machine of the PostgreSQL server that the tests run on. */
export function portOfDatabases(): number {
  return Number(new URL(SERVER ?? "").port);
}

/** Returns an error as the database throws it where it cannot be written now. */
export function unavailableError(): Error {
  if (SERVER === null) return new SqliteError("database is locked", BUSY);
  return Object.assign(new Error("the database system is shutting down"), { code: "57P03" });
}

/** SQLITE_BUSY of sqlite.org/rescode.html. */
const BUSY = 5;

/** A test's database: a file, or one of its own on the PostgreSQL server that the tests run on. */
export interface TestDatabase {
  readonly place: DatabasePlace;
  /** Each user registers on opening and again on closing: it is removed with the last one. */
  readonly hold: () => void;
  readonly letGo: () => Promise<void>;
}

export interface TestDatabaseOptions {
  /** On PostgreSQL, today and the days ahead have their partitions, as after a first start. */
  readonly hasDays?: boolean;
}

/** Makes a database; on PostgreSQL with all tables, as that is cheaper. */
export async function createDatabase(
  test: TestContext,
  { hasDays = false }: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  if (SERVER === null) {
    const path = join(await dataFolder(test), "tocsin.db");
    return { place: { kind: "sqlite", path }, hold() {}, async letGo() {} };
  }
  const name = `tocsin_test_${randomBytes(8).toString("hex")}`;
  await onServer(SERVER, async (server) => {
    const template = await templateOf(server, { url: SERVER, hasDays });
    // Copied as files: by the log it would take twice as long.
    await server.query(`create database ${name} template ${template} strategy file_copy`);
  });
  let holders = 0;
  return {
    place: { kind: "postgres", url: named(SERVER, name) },
    hold() {
      holders += 1;
    },
    async letGo() {
      holders -= 1;
      if (holders > 0) return;
      await onServer(SERVER, (server) => server.query(`drop database ${name} with (force)`));
    },
  };
}

/** Gives a new data folder the file of a server that was started before, where tests run on SQLite. */
export async function prepareFolder(dataDir: string): Promise<void> {
  if (SERVER === null) await writeTables(join(dataDir, "tocsin.db"));
}

/** Makes and opens a database with all tables that goes when the test ends. */
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

/** Templates that this process has made or found. */
const templates = new Map<string, Promise<string>>();

/** A database with all tables, made once for every state of the migrations: copying it is faster than migrating. */
function templateOf(
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
  const isThere = async () => {
    const { rowCount } = await server.query("select from pg_database where datname = $1", [name]);
    return rowCount === 1;
  };
  if (await isThere()) return name;
  // Test files run side by side: one of them makes it.
  await server.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
  try {
    if (!(await isThere())) await makeTemplate(server, { url, name, hasDays });
  } finally {
    await server.query("select pg_advisory_unlock($1)", [TEMPLATE_LOCK]);
  }
  return name;
}

/** Under another name until it is whole. */
async function makeTemplate(
  server: PoolClient,
  {
    url,
    name,
    hasDays,
  }: { readonly url: string; readonly name: string; readonly hasDays: boolean },
): Promise<void> {
  const raw = `${name}_${randomBytes(4).toString("hex")}`;
  await server.query(`create database ${raw} template template0 encoding 'UTF8'`);
  const database = openPostgres({ url: named(url, raw) });
  await migrate(database);
  // They take a start longer than all else that it does.
  if (hasDays) await prepareDays(database, { now: Date.now() });
  if (IS_LATER) await takeLaterStep(database);
  await database.close();
  await server.query(`alter database ${raw} rename to ${name}`);
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
