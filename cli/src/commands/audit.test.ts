import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { auditInsert } from "../../../server/src/audit/store.ts";
import { OPERATOR } from "../../../server/src/audit/event.ts";
import { leastIdAt } from "../../../server/src/ids.ts";
import { databaseEnvironment, startApp } from "../../../server/test/support/app.ts";
import { ON_SQLITE } from "../../../server/test/support/database.ts";
import { temporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { tocsin } from "../tocsin.fixture.ts";

const CREATE = ["account", "create", "--email", "ann@example.org", "--name", "Ann"];

test("the audit log is printed while the server runs, a line for each event of a period", async (t) => {
  const { dataDir } = await startApp(t);
  const environment = {
    TOCSIN_DATA_DIR: dataDir,
    ...(await databaseEnvironment(t, dataDir)),
  };
  await tocsin(CREATE, { environment, input: "correct horse\n" });
  const run = (...args: string[]) => tocsin(["audit", ...args], { environment });
  const { code, stdout, stderr } = await run("export");
  assert.deepEqual([code, stderr], [0, ""]);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ action, actor }) => [action, actor.kind]),
    [
      ["account_created", "operator"],
      ["api_key_made", "operator"],
    ],
  );
  assert.deepEqual(Object.keys(events[0].actor), ["kind", "accountId", "credentialId"]);
  for (const trace of ["ann@", "Ann", "First key"]) assert.ok(!stdout.includes(trace), trace);
  assert.equal((await run("export", "--since", events[1].createdAt)).stdout.split("\n").length, 2);
  assert.equal((await run("export", "--until", events[0].createdAt)).stdout, "");
  for (const time of ["yesterday", "2026-02-31", "2026-01-31T12:00"]) {
    assert.equal((await run("export", "--since", time)).code, 2, time);
  }
});

test("a day without a seal is reported, with an exit code", async (t) => {
  const { app, dataDir } = await startApp(t);
  const environment = {
    TOCSIN_DATA_DIR: dataDir,
    ...(await databaseEnvironment(t, dataDir)),
  };
  const whole = await tocsin(["audit", "verify"], { environment });
  assert.deepEqual([whole.code, whole.stdout], [0, "No day is sealed yet.\n"]);
  const then = Date.UTC(2026, 0, 1);
  const past = { ...app.context, now: () => then, newId: () => leastIdAt(then) };
  const event = { action: "backup_made", by: OPERATOR, accountId: null } as const;
  await past.database.atomically([auditInsert(past, event)]);
  const broken = await tocsin(["audit", "verify", "--json"], { environment });
  const report = JSON.parse(broken.stdout);
  assert.deepEqual([broken.code, report.success], [1, false]);
  assert.deepEqual(report.faults, [{ day: "2026-01-01", fault: "unsealed" }]);
  const told = await tocsin(["audit", "verify"], { environment });
  assert.match(told.stdout, /^2026-01-01 {2}has no seal/);
});

test("a missing database, or one without an audit log, is reported", ON_SQLITE, async (t) => {
  const environment = { TOCSIN_DATA_DIR: join(await temporaryFolder(t), "data") };
  const { code, stderr } = await tocsin(["audit", "verify"], { environment });
  assert.equal(code, 1);
  assert.match(stderr, /There is no database/);
});

test("a backup is recorded in the audit log of its source", ON_SQLITE, async (t) => {
  const { dataDir } = await startApp(t);
  const environment = { TOCSIN_DATA_DIR: dataDir };
  const folder = join(await temporaryFolder(t), "backup");
  const { stdout } = await tocsin(["backup", folder, "--json"], { environment });
  assert.equal(JSON.parse(stdout).isRecorded, true);
  const { stdout: events } = await tocsin(["audit", "export"], { environment });
  assert.equal(JSON.parse(events).action, "backup_made");
});
