import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { isAbandoned, withLock } from "./setup-lock.mjs";

const MINUTE_MS = 60_000;
const NOBODY = () => assert.fail("There is nobody to wait for.");

function lockPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-lock-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "lock");
}

function leaveLock(path: string, owner: string): void {
  mkdirSync(path);
  writeFileSync(join(path, "owner"), owner);
}

test("a holder is believed while its process runs, and not for longer than a setup can take", () => {
  const now = 1_000 * MINUTE_MS;
  const running = { now, isRunning: () => true };
  assert.equal(isAbandoned({ pid: 7, since: now - 20 * MINUTE_MS }, running), false);
  assert.equal(isAbandoned({ pid: 7, since: now - 26 * MINUTE_MS }, running), true);
  assert.equal(isAbandoned({ pid: 7, since: now }, { now, isRunning: () => false }), true);
});

test("two that want the lock have it one after the other, and leave nothing behind", async (t) => {
  const path = lockPath(t);
  const told: number[] = [];
  const steps: string[] = [];
  const opened = Promise.withResolvers<void>();
  const first = withLock(path, NOBODY, async () => {
    steps.push("first in");
    await opened.promise;
    steps.push("first out");
  });
  const second = withLock(
    path,
    ({ pid }) => {
      told.push(pid);
      opened.resolve();
    },
    async () => steps.push("second in"),
  );
  await Promise.all([first, second]);
  assert.deepEqual(steps, ["first in", "first out", "second in"]);
  assert.deepEqual(told, [process.pid]);
  assert.deepEqual(readdirSync(join(path, "..")), []);
});

test("the lock of a process that died is taken over", async (t) => {
  const path = lockPath(t);
  // No process has this id: it is above the largest one of Linux, 2^22.
  leaveLock(path, `99999999 ${Date.now()}`);
  assert.equal(await withLock(path, NOBODY, async () => "done"), "done");
  assert.deepEqual(readdirSync(join(path, "..")), []);
});

test("a lock with an unreadable owner is taken over", async (t) => {
  const path = lockPath(t);
  leaveLock(path, "");
  assert.equal(await withLock(path, NOBODY, async () => "done"), "done");
});

test("the lock is free again after a failure", async (t) => {
  const path = lockPath(t);
  await assert.rejects(
    withLock(path, NOBODY, async () => Promise.reject(new Error("no network"))),
    /no network/u,
  );
  assert.equal(await withLock(path, NOBODY, async () => "done"), "done");
});
