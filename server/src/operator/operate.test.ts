import assert from "node:assert/strict";
import { test } from "node:test";
import { LaterVersionError } from "#database/migration.ts";
import { DamagedKeyFileError } from "#secrets/master-keys.ts";
import { OperatorError } from "./operator-error.ts";
import { runOperation } from "./operate.ts";

const CONFIG = {
  host: "127.0.0.1",
  port: 80,
  dataDir: "/srv/tocsin",
  database: { kind: "postgres", url: "postgres://db.example.org/tocsin" },
} as const;

async function findCode(cause: Error): Promise<string> {
  try {
    await runOperation(CONFIG, () => Promise.reject(cause));
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.code;
  }
  throw new Error("Nothing failed.");
}

test("the failure code of an operation names the part of the environment that failed", async () => {
  const unreachable = Object.assign(new Error("connect"), {
    code: "ECONNREFUSED",
    syscall: "connect",
    address: "db.example.org",
  });
  const wrongPassword = Object.assign(new Error("password"), { code: "28P01" });
  const readOnly = Object.assign(new Error("mkdir"), { code: "EROFS", syscall: "mkdir" });
  const cases = [
    [unreachable, "database"],
    [new Error("The query failed.", { cause: wrongPassword }), "database"],
    [new LaterVersionError("A later version has applied 9999."), "database"],
    [new DamagedKeyFileError("/srv/tocsin/master-key"), "master_key"],
    [readOnly, "data_folder"],
  ] as const;
  for (const [error, code] of cases) assert.equal(await findCode(error), code, error.message);
});

test("an error without an explanation is thrown unchanged", async () => {
  const bug = new Error("A bug.");
  await assert.rejects(
    runOperation(CONFIG, async () => Promise.reject(bug)),
    (error) => error === bug,
  );
});
