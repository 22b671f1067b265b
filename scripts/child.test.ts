import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { run } from "./child.mjs";

const CHILD_MODULE = join(import.meta.dirname, "child.mjs");

/** Keeps a child alive longer than its test, but not for ever if the test fails. */
const KEEP_RUNNING = "setTimeout(() => {}, 10_000);";

/** Starts a process that runs `script` in a child process and ends as the child does. */
function startParent(t: TestContext, script: string) {
  const parent = `
    import { exitLike, run } from ${JSON.stringify(CHILD_MODULE)};
    exitLike(await run(process.execPath, ["-e", ${JSON.stringify(script)}], { stdio: "inherit" }));`;
  const args = ["--input-type=module", "-e", parent];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

test("a process exits with the exit code of its child", async (t) => {
  assert.deepEqual(await once(startParent(t, "process.exit(7)"), "exit"), [7, null]);
});

test("a signal to the process is forwarded to the child, which decides how it exits", async (t) => {
  const parent = startParent(
    t,
    `process.on("SIGTERM", () => process.exit(3)); ${KEEP_RUNNING} console.log("ready");`,
  );
  await once(parent.stdout, "data");
  parent.kill("SIGTERM");
  assert.deepEqual(await once(parent, "exit"), [3, null]);
});

test("a parent dies by the signal that killed its child", async (t) => {
  const parent = startParent(t, `${KEEP_RUNNING} console.log("ready");`);
  await once(parent.stdout, "data");
  parent.kill("SIGTERM");
  assert.deepEqual(await once(parent, "exit"), [null, "SIGTERM"]);
});

test("the piped output of a child is returned, and its run time is limited", async () => {
  const script = `console.log("out"); console.error("err"); ${KEEP_RUNNING}`;
  const result = await run(process.execPath, ["-e", script], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 1_000,
  });
  assert.equal(result.signal, "SIGTERM");
  assert.deepEqual(result.output.trim().split("\n").toSorted(), ["err", "out"]);
});

test("a missing program is an error", async () => {
  await assert.rejects(run("/nowhere/program", []), /ENOENT/u);
});
