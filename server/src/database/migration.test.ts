import assert from "node:assert/strict";
import test from "node:test";
import { ON_CURRENT_SCHEMA, openTestDatabase } from "../../test/support/database.ts";
import { recordMigration, applyLaterMigration } from "../../test/support/later-schema.ts";
import { explainStartFailure } from "#process/start-failure.ts";
import {
  compareMigrations,
  findLaterMigrations,
  LaterVersionError,
  migrate,
  MIGRATION_NAMES,
  needsMigration,
} from "./migration.ts";

const SETTINGS = { host: "127.0.0.1", port: 80, dataDir: "/srv" };

test(
  "a version works on a database after a later one has only added to it",
  ON_CURRENT_SCHEMA,
  async (t) => {
    const database = await openTestDatabase(t);
    await migrate(database);
    assert.deepEqual(await findLaterMigrations(database), []);
    await applyLaterMigration(database);
    assert.deepEqual(await migrate(database), []);
    assert.deepEqual(await findLaterMigrations(database), ["9999-later"]);
  },
);

test("a version refuses a database if a later one removed something that it uses", async (t) => {
  const database = await openTestDatabase(t);
  await migrate(database);
  await recordMigration(database, "9998-drop.needs-9997");
  const error: unknown = await migrate(database).catch((caught: unknown) => caught);
  assert.ok(error instanceof LaterVersionError);
  assert.match(
    explainStartFailure(error, SETTINGS) ?? "",
    /later version of Tocsin.+ Run that version/,
  );
});

test(
  "a database that lacks a migration does not count as one of a later version",
  ON_CURRENT_SCHEMA,
  async (t) => {
    const database = await openTestDatabase(t);
    await migrate(database);
    await applyLaterMigration(database);
    const migrationsDb = database.db.withTables<{ kysely_migration: { name: string } }>();
    await migrationsDb.deleteFrom("kysely_migration").where("name", "=", "0006-mail").execute();
    await assert.rejects(migrate(database), /set-up failed/);
  },
);

test("a current database needs no migration, not even after a later version added to it", async (t) => {
  const database = await openTestDatabase(t);
  await migrate(database);
  assert.equal(await needsMigration(database), false);
  await applyLaterMigration(database);
  assert.equal(await needsMigration(database), false);
});

test("a new, an incomplete and a too new database need the migrator", async (t) => {
  const database = await openTestDatabase(t);
  await migrate(database);
  await recordMigration(database, "9998-drop.needs-9997");
  assert.equal(await needsMigration(database), true);
  const migrationsDb = database.db.withTables<{ kysely_migration: { name: string } }>();
  const migrations = migrationsDb.deleteFrom("kysely_migration");
  await migrations.where("name", "like", "9998%").execute();
  assert.equal(await needsMigration(database), false);
  await migrations.where("name", "=", "0006-mail").execute();
  assert.equal(await needsMigration(database), true);
  await database.db.schema.dropTable("kysely_migration").execute();
  assert.equal(await needsMigration(database), true);
});

test("the name of a later migration shows whether an earlier version can use the database", () => {
  const lastNumber = MIGRATION_NAMES.at(-1)?.slice(0, 4) ?? "";
  const isTooNewAfter = (name: string) => compareMigrations([...MIGRATION_NAMES, name]).isTooNew;
  assert.equal(isTooNewAfter("9000-more"), false);
  assert.equal(isTooNewAfter(`9000-less.needs-${lastNumber}`), false);
  assert.equal(isTooNewAfter("9000-less.needs-8999"), true);
  assert.deepEqual(compareMigrations(MIGRATION_NAMES), {
    pending: [],
    unknownMigrations: [],
    isTooNew: false,
  });
});
