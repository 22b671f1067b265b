import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { pino } from "pino";
import { chainDays } from "../../../server/src/audit/chain/chain-days.ts";
import { insertEventQuery } from "../../../server/src/audit/store.ts";
import { OPERATOR } from "../../../server/src/audit/event.ts";
import { migrate } from "../../../server/src/database/migration.ts";
import { openDatabase } from "../../../server/src/database/open.ts";
import { toMinId } from "../../../server/src/ids.ts";
import { NO_SEAL } from "../../../server/src/secrets/row-seal.ts";
import { createDatabaseEnvironment, startApp } from "../../../server/test/support/app.ts";
import { createDatabase, ON_SQLITE } from "../../../server/test/support/database.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { runTocsin } from "../tocsin.fixture.ts";

const CREATE_ACCOUNT = ["account", "create", "--email", "ann@example.org", "--name", "Ann"];
const DAY_MS = 24 * 60 * 60 * 1_000;

test("audit export prints one line per event of a period, while the server runs", async (t) => {
  const { dataDir } = await startApp(t);
  const environment = {
    TOCSIN_DATA_DIR: dataDir,
    ...(await createDatabaseEnvironment(t, dataDir)),
  };
  await runTocsin(CREATE_ACCOUNT, { environment, input: "correct horse\n" });
  const run = (...args: string[]) => runTocsin(["audit", ...args], { environment });
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
  for (const personalData of ["ann@", "Ann", "First key"])
    assert.ok(!stdout.includes(personalData), personalData);
  assert.equal((await run("export", "--since", events[1].createdAt)).stdout.split("\n").length, 2);
  assert.equal((await run("export", "--until", events[0].createdAt)).stdout, "");
  for (const time of ["yesterday", "2026-02-31", "2026-01-31T12:00"]) {
    assert.equal((await run("export", "--since", time)).code, 2, time);
  }
});

test("audit verify accepts an empty log, and exits with code 1 for a day without a seal", async (t) => {
  const { app, dataDir } = await startApp(t);
  const environment = {
    TOCSIN_DATA_DIR: dataDir,
    ...(await createDatabaseEnvironment(t, dataDir)),
  };
  const intact = await runTocsin(["audit", "verify"], { environment });
  assert.deepEqual([intact.code, intact.stdout], [0, "No day is sealed yet.\n"]);
  const dayMs = Date.UTC(2026, 0, 1);
  const pastContext = { ...app.context, now: () => dayMs, newId: () => toMinId(dayMs) };
  const event = { action: "backup_made", actor: OPERATOR, accountId: null } as const;
  await pastContext.database.atomically([insertEventQuery(pastContext, event)]);
  const faultyRun = await runTocsin(["audit", "verify", "--json"], { environment });
  const report = JSON.parse(faultyRun.stdout);
  assert.deepEqual([faultyRun.code, report.success], [1, false]);
  assert.deepEqual(report.faults, [{ day: "2026-01-01", fault: "unsealed" }]);
  const readable = await runTocsin(["audit", "verify"], { environment });
  assert.match(readable.stdout, /^2026-01-01 {2}the day has no seal/);
});

test("the server's log reveals days that were changed and sealed again", async (t) => {
  const { database, environment } = await createStoppedServer(t);
  const dayMs = Date.UTC(2026, 0, 1);
  let logged = "";
  const log = pino({}, { write: (line: string) => (logged += line) });
  const clocks = { now: () => dayMs, elapsed: () => 0 };
  const pastContext = { database, log, seal: NO_SEAL, ...clocks, newId: () => toMinId(dayMs) };
  const event = { action: "backup_made", actor: OPERATOR, accountId: null } as const;
  await database.atomically([insertEventQuery(pastContext, event)]);
  const laterContext = { ...pastContext, now: () => dayMs + 3 * DAY_MS };
  await chainDays(laterContext);
  const file = join(await createTemporaryFolder(t), "server.log");
  await writeFile(file, `another line\n${logged}`);
  const verify = (...args: string[]) => runTocsin(["audit", "verify", ...args], { environment });
  assert.match((await verify()).stdout, /\nNo line of the server's log vouches for it/);
  const matchingRun = await verify("--log", file);
  assert.equal(matchingRun.code, 0);
  assert.match(matchingRun.stdout, /\nThe server's log vouches for the days up to 2026-01-02\.\n$/);

  await database.db.deleteFrom("audit_seal").execute();
  await database.db.updateTable("audit_event").set({ user_agent: "Firefox" }).execute();
  await chainDays(laterContext);
  assert.equal((await verify()).code, 0);
  const resealedRun = await verify("--log", file, "--json");
  assert.equal(resealedRun.code, 1);
  const { faults, witnessedUntil } = JSON.parse(resealedRun.stdout);
  assert.deepEqual(faults[0], { day: "2026-01-01", fault: "resealed" });
  assert.equal(witnessedUntil, null);
  assert.match((await verify("--log", file)).stdout, /^2026-01-01 {2}the seal is not the one/);
});

test("audit verify reports an unreadable server log, and one without a sealed day", async (t) => {
  const { dataDir } = await startApp(t);
  const environment = {
    TOCSIN_DATA_DIR: dataDir,
    ...(await createDatabaseEnvironment(t, dataDir)),
  };
  const folder = await createTemporaryFolder(t);
  const file = join(folder, "server.log");
  const verify = (log: string) => runTocsin(["audit", "verify", "--log", log], { environment });
  for (const path of [file, folder]) {
    const { code, stdout, stderr } = await verify(path);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /cannot be read\. Give --log a file/);
  }
  await writeFile(file, "hello\n");
  const { code, stderr } = await verify(file);
  assert.equal(code, 1);
  assert.match(stderr, /No line of the log reports a chained day/);
});

test("audit verify reports a missing database", ON_SQLITE, async (t) => {
  const environment = { TOCSIN_DATA_DIR: join(await createTemporaryFolder(t), "data") };
  const { code, stderr } = await runTocsin(["audit", "verify"], { environment });
  assert.equal(code, 1);
  assert.match(stderr, /There is no database/);
});

test("a backup is recorded in the audit log of its source", ON_SQLITE, async (t) => {
  const { dataDir } = await startApp(t);
  const environment = { TOCSIN_DATA_DIR: dataDir };
  const folder = join(await createTemporaryFolder(t), "backup");
  const { stdout } = await runTocsin(["backup", folder, "--json"], { environment });
  assert.equal(JSON.parse(stdout).isRecorded, true);
  const { stdout: events } = await runTocsin(["audit", "export"], { environment });
  assert.equal(JSON.parse(events).action, "backup_made");
});

/** Creates the database of a stopped server, so that nothing but the test seals its days. */
async function createStoppedServer(t: TestContext) {
  const { location, acquire, release } = await createDatabase(t);
  const database = openDatabase(location, pino({ level: "silent" }));
  acquire();
  t.after(async () => {
    await database.close();
    await release();
  });
  await migrate(database);
  const environment: Readonly<Record<string, string>> =
    location.kind === "sqlite"
      ? { TOCSIN_DATA_DIR: dirname(location.path) }
      : { TOCSIN_DATABASE_URL: location.url };
  return { database, environment };
}
