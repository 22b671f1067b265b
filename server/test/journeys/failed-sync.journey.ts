import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { codeOf, HELLO, post } from "../contract/ask.ts";
import { signUp } from "../support/app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startServerProcess } from "../support/server-process.ts";

/** Makes those syncs of a process fail that `when` names, as on a disk that breaks: see strace(1). */
async function breakSyncs(t: TestContext, pid: number, when: string): Promise<void> {
  const inject = `inject=fsync,fdatasync:error=EIO:when=${when}`;
  const args = ["-f", "-e", "trace=fsync,fdatasync", "-e", inject, "-p", String(pid)];
  const tracer = spawn("strace", args, { stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => tracer.kill());
  await new Promise<void>((resolve, reject) => {
    tracer.once("error", reject);
    tracer.stderr.on("data", (said: Buffer) => {
      if (said.includes("attached")) resolve();
    });
  });
}

/** Sends once while syncs fail, and ends the server as a power failure would; returns what was said, and how many are stored. */
async function sendAndDie(t: TestContext, when: string) {
  const folder = join(await temporaryFolder(t), "data");
  const environment = { TOCSIN_DATA_DIR: folder, TOCSIN_LOG_LEVEL: "fatal" };
  const server = await startServerProcess(t, { environment });
  const { key } = await signUp(server, "Ann");
  await breakSyncs(t, server.child.pid ?? 0, when);
  const answer = await post(server.url, { key, path: "/api/v1/notify-async", body: HELLO });
  await server.kill();
  // The next process to open it takes every complete transaction in the log for committed.
  using database = new DatabaseSync(join(folder, "tocsin.db"));
  const row = database.prepare("select count(*) as count from notification").get();
  return { answer, stored: Number(row?.["count"]) };
}

test("a notification answered not to be stored is not found after a start, where one sync failed", async (t) => {
  const { answer, stored } = await sendAndDie(t, "1");
  assert.deepEqual([answer.status, codeOf(answer)], [500, "unavailable"]);
  assert.match(answer.text, /nothing was sent/);
  assert.equal(stored, 0);
});

test("where the disk takes nothing more, the answer says that it may be stored", async (t) => {
  // The commit over it is not synced either: a power failure may leave the one or the other.
  const { answer } = await sendAndDie(t, "1+");
  assert.deepEqual([answer.status, codeOf(answer)], [500, "unavailable"]);
  assert.match(answer.text, /may have been stored/);
});
