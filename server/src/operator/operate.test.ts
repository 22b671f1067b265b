import assert from "node:assert/strict";
import { test } from "node:test";
import { LaterVersionError } from "#database/migration.ts";
import { DamagedKeyFileError } from "#secrets/load-key-ring.ts";
import { OperatorError } from "./operator-error.ts";
import { runOperation } from "./operate.ts";

const CONFIG = {
  host: "127.0.0.1",
  port: 80,
  dataDir: "/srv/tocsin",
  database: { kind: "postgres", url: "postgres://db.example.org/tocsin" },
} as const;

/** Runs an operation that fails with an error, and returns the code that it is reported with. */
async function findFailureCode(failure: Error): Promise<string> {
  try {
    await runOperation(CONFIG, () => Promise.reject(failure));
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.code;
  }
  throw new Error("The operation did not fail.");
}

test("the code of a failed operation names what it could not use: the database, the master key or the data folder", async () => {
  const unreachableDatabase = Object.assign(new Error("connect"), {
    code: "ECONNREFUSED",
    syscall: "connect",
    address: "db.example.org",
  });
  const wrongPassword = Object.assign(new Error("password"), { code: "28P01" });
  const readOnlyFolder = Object.assign(new Error("mkdir"), { code: "EROFS", syscall: "mkdir" });
  const cases = [
    [unreachableDatabase, "database"],
    [new Error("The query failed.", { cause: wrongPassword }), "database"],
    [new LaterVersionError("A later version has applied 9999."), "database"],
    [new DamagedKeyFileError("/srv/tocsin/master-key"), "master_key"],
    [readOnlyFolder, "data_folder"],
  ] as const;
  for (const [error, code] of cases)
    assert.equal(await findFailureCode(error), code, error.message);
});

test("an error that the product does not expect is thrown unchanged", async () => {
  const bug = new Error("A bug.");
  await assert.rejects(
    runOperation(CONFIG, async () => Promise.reject(bug)),
    (error) => error === bug,
  );
});
