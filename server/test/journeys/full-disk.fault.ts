import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { ask, HELLO, post } from "../contract/ask.ts";
import { mountSmallDisk, smallDiskObstacle } from "../campaigns/small-disk.ts";
import { signUp } from "../support/app.ts";
import { ON_SQLITE } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startCluster } from "../support/postgres-cluster.ts";
import { OwnScope, type Scope } from "../support/scope.ts";
import { startServerProcess } from "../support/server-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const MINUTES = { timeout: 120_000 };
/** Blocks that the log has already are written to for a while, and are enough for a few of these. */
const LARGE = { ...HELLO, body: "x".repeat(3_500) };

const ON_SMALL_DISK = { ...MINUTES, skip: ON_SQLITE.skip || (smallDiskObstacle() ?? false) };

/** The last thing started is ended first: a disk can go once it is unused. */
function scopeOf(t: TestContext): Scope {
  const scope = new OwnScope();
  t.after(() => scope.end());
  return scope;
}

async function startOn(t: Scope, environment: Readonly<Record<string, string>>) {
  const { url } = await startServerProcess(t, {
    environment: { TOCSIN_LOG_LEVEL: "fatal", TOCSIN_RATE_LIMIT_PER_S: "0", ...environment },
  });
  const { key } = await signUp({ url }, "Ann");
  const send = () => post(url, { key, path: "/api/v1/notify-async", body: LARGE });
  const ready = async () => (await ask(url, { path: "/readyz" })).status;
  return { send, ready };
}

/** Sends until the disk takes nothing more. */
async function untilRefused(send: () => ReturnType<typeof post>): Promise<void> {
  await eventually(
    () => Promise.all(Array.from({ length: 20 }, send)),
    (answers) => answers.every(({ status }) => status === 500),
    { limitMs: 60_000 },
  );
}

test(
  "a server whose disk is full is not ready, until there is room again",
  ON_SMALL_DISK,
  async (t) => {
    const scope = scopeOf(t);
    const disk = await mountSmallDisk(scope, 48);
    const { send, ready } = await startOn(scope, { TOCSIN_DATA_DIR: disk.folder });
    assert.equal(await ready(), 200);
    disk.fill();
    await untilRefused(send);
    // Also where nobody sends any more, as a balancer sees to.
    for (let look = 0; look < 5; look += 1) assert.equal(await ready(), 503);
    disk.free();
    await eventually(ready, (status) => status === 200);
    assert.equal((await send()).status, 200);
  },
);

test(
  "a server whose disk is filled while nobody sends is not ready either",
  ON_SMALL_DISK,
  async (t) => {
    const scope = scopeOf(t);
    const disk = await mountSmallDisk(scope, 48);
    const { ready } = await startOn(scope, { TOCSIN_DATA_DIR: disk.folder });
    disk.fill();
    await eventually(ready, (status) => status === 503);
    disk.free();
    await eventually(ready, (status) => status === 200);
  },
);

test(
  "a server whose PostgreSQL has a full disk is not ready, until there is room again",
  ON_SMALL_DISK,
  async (t) => {
    const scope = scopeOf(t);
    const disk = await mountSmallDisk(scope, 320);
    const flags = ["-cmax_wal_size=48MB", "-cmin_wal_size=32MB"];
    const cluster = await startCluster(flags, { parent: disk.folder });
    scope.after(() => cluster.stop());
    const { send, ready } = await startOn(scope, {
      TOCSIN_DATA_DIR: await temporaryFolder(scope),
      TOCSIN_DATABASE_URL: `${cluster.url}/postgres`,
    });
    assert.equal(await ready(), 200);
    disk.fill();
    await untilRefused(send);
    for (let look = 0; look < 5; look += 1) assert.equal(await ready(), 503);
    disk.free();
    await cluster.revive();
    await eventually(ready, (status) => status === 200, { limitMs: 30_000 });
    assert.equal((await send()).status, 200);
  },
);
