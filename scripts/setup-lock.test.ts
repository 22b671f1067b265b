import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { isAbandoned, withLock } from "./setup-lock.mjs";

const MINUTE_MS = 60_000;
const failOnWait = () => assert.fail("There is nobody to wait for.");

function createLockPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-lock-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "lock");
}

function writeLock(path: string, owner: string): void {
  mkdirSync(path);
  writeFileSync(join(path, "owner"), owner);
}

test("a lock is abandoned when its process has ended, or has held it longer than a setup can take", () => {
  const now = 1_000 * MINUTE_MS;
  const whileRunning = { now, isRunning: () => true };
  assert.equal(isAbandoned({ pid: 7, acquiredAt: now - 26 * MINUTE_MS }, whileRunning), false);
  assert.equal(isAbandoned({ pid: 7, acquiredAt: now - 31 * MINUTE_MS }, whileRunning), true);
  assert.equal(isAbandoned({ pid: 7, acquiredAt: now }, { now, isRunning: () => false }), true);
});

test("two concurrent callers hold the lock one after the other, and leave no files", async (t) => {
  const path = createLockPath(t);
  const waits: number[] = [];
  const steps: string[] = [];
  const release = Promise.withResolvers<void>();
  const firstLock = withLock(path, failOnWait, async () => {
    steps.push("first in");
    await release.promise;
    steps.push("first out");
  });
  const secondLock = withLock(
    path,
    ({ pid }) => {
      waits.push(pid);
      release.resolve();
    },
    async () => steps.push("second in"),
  );
  await Promise.all([firstLock, secondLock]);
  assert.deepEqual(steps, ["first in", "first out", "second in"]);
  assert.deepEqual(waits, [process.pid]);
  assert.deepEqual(readdirSync(join(path, "..")), []);
});

test("the lock of a dead process is taken over", async (t) => {
  const path = createLockPath(t);
  // No process has this id: it is above the largest one of Linux, 2^22.
  writeLock(path, `99999999 ${Date.now()}`);
  assert.equal(await withLock(path, failOnWait, async () => "done"), "done");
  assert.deepEqual(readdirSync(join(path, "..")), []);
});

test("a lock with an empty owner file is taken over", async (t) => {
  const path = createLockPath(t);
  writeLock(path, "");
  assert.equal(await withLock(path, failOnWait, async () => "done"), "done");
});

test("the lock is released after a failure", async (t) => {
  const path = createLockPath(t);
  await assert.rejects(
    withLock(path, failOnWait, async () => Promise.reject(new Error("no network"))),
    /no network/u,
  );
  assert.equal(await withLock(path, failOnWait, async () => "done"), "done");
});
