import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { signUp } from "../support/app.ts";
import { getNotificationId } from "../support/notification-records.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startServerProcess } from "../support/server-process.ts";
import { findTracePositions, parseTrace, readTrace, STRACE_ARGUMENTS } from "../support/strace.ts";

const SENDS = 200;

test("the write-ahead log is synced before the response to each send", async (t) => {
  const { status } = spawnSync("strace", ["--version"]);
  assert.equal(status, 0, "strace is missing. Install it: apt-get install strace");
  const folder = await createTemporaryFolder(t);
  const trace = join(folder, "trace.log");
  const server = await startServerProcess(t, {
    environment: {
      TOCSIN_DATA_DIR: join(folder, "data"),
      TOCSIN_RATE_LIMIT_PER_S: "0",
      TOCSIN_LOG_LEVEL: "error",
    },
    wrapperCommand: ["strace", ...STRACE_ARGUMENTS, "-o", trace],
  });
  const { key } = await signUp({ url: server.url }, "Ann");
  const client = createClient({ baseUrl: server.url, apiKey: key });
  const responses = await Promise.all(
    Array.from({ length: SENDS }, (_, index) =>
      client.notifyAsync({ title: `Number ${index}`, body: "" }),
    ),
  );
  server.child.kill("SIGINT");
  await once(server.child, "exit");

  const calls = parseTrace(await readTrace(trace, server.child.pid ?? 0));
  for (const response of responses) {
    const { written, synced, responded } = findTracePositions(calls, getNotificationId(response));
    const order = `written at ${written}, synced at ${synced}, answered at ${responded}`;
    assert.ok(written !== -1 && written < synced && synced < responded, order);
  }
});
