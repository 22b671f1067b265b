import assert from "node:assert/strict";
import test from "node:test";
import { ON_OWN_TABLES, openTestDatabase } from "../../test/support/database.ts";
import { recordMigration, applyLaterMigration } from "../../test/support/later-schema.ts";
import { explainStartFailure } from "#process/start-failure.ts";
import {
  compareSteps,
  findLaterSteps,
  LaterVersionError,
  migrate,
  STEP_NAMES,
} from "./migration.ts";

const PLACE = { host: "127.0.0.1", port: 80, dataDir: "/srv" };

test(
  "a version works on a database after a later one has only added to it",
  ON_OWN_TABLES,
  async (t) => {
    const database = await openTestDatabase(t);
    await migrate(database);
    assert.deepEqual(await findLaterSteps(database), []);
    await applyLaterMigration(database);
    assert.deepEqual(await migrate(database), []);
    assert.deepEqual(await findLaterSteps(database), ["9999-later"]);
  },
);

test("a version refuses a database if a later one removed something that it uses", async (t) => {
  const database = await openTestDatabase(t);
  await migrate(database);
  await recordMigration(database, "9998-drop.needs-9997");
  const error: unknown = await migrate(database).catch((caught: unknown) => caught);
  assert.ok(error instanceof LaterVersionError);
  assert.match(
    explainStartFailure(error, PLACE) ?? "",
    /later version of Tocsin.+ Run that version/,
  );
});

test(
  "a database that lacks a step does not count as one of a later version",
  ON_OWN_TABLES,
  async (t) => {
    const database = await openTestDatabase(t);
    await migrate(database);
    await applyLaterMigration(database);
    const steps = database.db.withTables<{ kysely_migration: { name: string } }>();
    await steps.deleteFrom("kysely_migration").where("name", "=", "0006-mail").execute();
    await assert.rejects(migrate(database), /set-up failed/);
  },
);

test("the name of a later step shows whether an earlier version can use the database", () => {
  const last = STEP_NAMES.at(-1)?.slice(0, 4) ?? "";
  const isTooNewAfter = (name: string) => compareSteps([...STEP_NAMES, name]).isTooNew;
  assert.equal(isTooNewAfter("9000-more"), false);
  assert.equal(isTooNewAfter(`9000-less.needs-${last}`), false);
  assert.equal(isTooNewAfter("9000-less.needs-8999"), true);
  assert.deepEqual(compareSteps(STEP_NAMES), { pending: [], unknown: [], isTooNew: false });
});
