import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { type TestContext } from "node:test";
import { parseErrorCode, HELLO, post } from "../contract/http-requests.ts";
import { signUp } from "../support/app.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startServerProcess } from "../support/server-process.ts";

/** Makes the process's syncs fail, as on a broken disk; `when` selects the failing syncs in strace(1) syntax. */
async function breakSyncs(t: TestContext, pid: number, when: string): Promise<void> {
  const inject = `inject=fsync,fdatasync:error=EIO:when=${when}`;
  const args = ["-f", "-e", "trace=fsync,fdatasync", "-e", inject, "-p", String(pid)];
  const tracer = spawn("strace", args, { stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => tracer.kill());
  await new Promise<void>((resolve, reject) => {
    tracer.once("error", reject);
    tracer.stderr.on("data", (output: Buffer) => {
      if (output.includes("attached")) resolve();
    });
  });
}

/** Sends once while syncs fail, then kills the server. Returns the response and the number of stored notifications. */
async function sendAndKill(t: TestContext, when: string) {
  const folder = join(await createTemporaryFolder(t), "data");
  const environment = { TOCSIN_DATA_DIR: folder, TOCSIN_LOG_LEVEL: "fatal" };
  const server = await startServerProcess(t, { environment });
  const { key } = await signUp(server, "Ann");
  await breakSyncs(t, server.child.pid ?? 0, when);
  const response = await post(server.url, { key, path: "/api/v1/notify-async", body: HELLO });
  await server.kill();
  // The next process to open the file treats every complete transaction in the log as committed.
  using database = new DatabaseSync(join(folder, "tocsin.db"));
  const row = database.prepare("select count(*) as count from notification").get();
  return { response, stored: Number(row?.["count"]) };
}

test("a notification refused after one failed sync is not stored", async (t) => {
  const { response, stored } = await sendAndKill(t, "1");
  assert.deepEqual([response.status, parseErrorCode(response)], [500, "unavailable"]);
  assert.match(response.text, /nothing was sent/);
  assert.equal(stored, 0);
});

test("if every later sync fails too, the error says that the notification may have been stored", async (t) => {
  // The commit that overwrites the failed one is not synced either: after a power failure, either may be on disk.
  const { response } = await sendAndKill(t, "1+");
  assert.deepEqual([response.status, parseErrorCode(response)], [500, "unavailable"]);
  assert.match(response.text, /may have been stored/);
});
