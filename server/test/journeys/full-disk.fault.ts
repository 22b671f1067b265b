import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { requestJson, HELLO, post } from "../contract/http-requests.ts";
import { mountSmallDisk, findSmallDiskObstacle } from "../campaigns/small-disk.ts";
import { signUp } from "../support/app.ts";
import { ON_SQLITE } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startPostgres } from "../support/postgres-cluster.ts";
import { ManualScope, type Scope } from "../support/scope.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const OPTIONS = { timeout: 120_000 };
/** A large notification: blocks that the log already owns have space for only a few of these. */
const LARGE = { ...HELLO, body: "x".repeat(3_500) };

const ON_SMALL_DISK = { ...OPTIONS, skip: ON_SQLITE.skip || (findSmallDiskObstacle() ?? false) };

/** Creates a scope that ends the server before its disk: a disk can be unmounted only when unused. */
function createScope(t: TestContext): Scope {
  const scope = new ManualScope();
  t.after(() => scope.end());
  return scope;
}

async function startServer(scope: Scope, environment: Readonly<Record<string, string>>) {
  const { url } = await startServerProcess(scope, {
    environment: { TOCSIN_LOG_LEVEL: "fatal", TOCSIN_RATE_LIMIT_PER_S: "0", ...environment },
  });
  const { key } = await signUp({ url }, "Ann");
  const send = () => post(url, { key, path: "/api/v1/notify-async", body: LARGE });
  const fetchReadiness = async () => (await requestJson(url, { path: "/readyz" })).status;
  return { send, fetchReadiness };
}

/** Sends until the server refuses all of 20 concurrent sends. */
async function sendUntilRefused(send: () => ReturnType<typeof post>): Promise<void> {
  await eventually(
    () => Promise.all(Array.from({ length: 20 }, send)),
    (responses) => responses.every(({ status }) => status === 500),
    { limitMs: 60_000 },
  );
}

test(
  "a server with a full disk is not ready until there is space again",
  ON_SMALL_DISK,
  async (t) => {
    const scope = createScope(t);
    const disk = await mountSmallDisk(scope, 48);
    const { send, fetchReadiness } = await startServer(scope, { TOCSIN_DATA_DIR: disk.folder });
    assert.equal(await fetchReadiness(), 200);
    disk.fill();
    await sendUntilRefused(send);
    // The server stays unready without sends: a load balancer forwards none to a node that is not ready.
    for (let check = 0; check < 5; check += 1) assert.equal(await fetchReadiness(), 503);
    disk.free();
    await eventually(fetchReadiness, (status) => status === 200);
    assert.equal((await send()).status, 200);
  },
);

test("a server whose disk fills up without any send is not ready", ON_SMALL_DISK, async (t) => {
  const scope = createScope(t);
  const disk = await mountSmallDisk(scope, 48);
  const { fetchReadiness } = await startServer(scope, { TOCSIN_DATA_DIR: disk.folder });
  disk.fill();
  await eventually(fetchReadiness, (status) => status === 503);
  disk.free();
  await eventually(fetchReadiness, (status) => status === 200);
});

test(
  "a server whose PostgreSQL has a full disk is not ready until there is space again",
  ON_SMALL_DISK,
  async (t) => {
    const scope = createScope(t);
    const disk = await mountSmallDisk(scope, 320);
    const flags = ["-cmax_wal_size=48MB", "-cmin_wal_size=32MB"];
    const cluster = await startPostgres(flags, { parent: disk.folder });
    scope.after(() => cluster.stop());
    const { send, fetchReadiness } = await startServer(scope, {
      TOCSIN_DATA_DIR: await createTemporaryFolder(scope),
      TOCSIN_DATABASE_URL: `${cluster.url}/postgres`,
    });
    assert.equal(await fetchReadiness(), 200);
    disk.fill();
    await sendUntilRefused(send);
    for (let check = 0; check < 5; check += 1) assert.equal(await fetchReadiness(), 503);
    disk.free();
    await cluster.ensureRunning();
    await eventually(fetchReadiness, (status) => status === 200, { limitMs: 30_000 });
    assert.equal((await send()).status, 200);
  },
);
