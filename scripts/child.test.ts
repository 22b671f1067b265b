import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { run } from "./child.mjs";

const CHILD = join(import.meta.dirname, "child.mjs");

/** Keeps a child alive for longer than its test, and not for ever where a test fails. */
const STAY = "setTimeout(() => {}, 10_000);";

/** A process that runs `script` in a child of its own and ends like it. */
function startParent(t: TestContext, script: string) {
  const parent = `
    import { endLike, run } from ${JSON.stringify(CHILD)};
    endLike(await run(process.execPath, ["-e", ${JSON.stringify(script)}], { stdio: "inherit" }));`;
  const args = ["--input-type=module", "-e", parent];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => started.kill("SIGKILL"));
  return started;
}

test("a child's code becomes ours", async (t) => {
  assert.deepEqual(await once(startParent(t, "process.exit(7)"), "exit"), [7, null]);
});

test("a stop that reaches us reaches the child, which ends in its own way", async (t) => {
  const parent = startParent(
    t,
    `process.on("SIGTERM", () => process.exit(3)); ${STAY} console.log("ready");`,
  );
  await once(parent.stdout, "data");
  parent.kill("SIGTERM");
  assert.deepEqual(await once(parent, "exit"), [3, null]);
});

test("a child that a signal ended ends us by the same signal", async (t) => {
  const parent = startParent(t, `${STAY} console.log("ready");`);
  await once(parent.stdout, "data");
  parent.kill("SIGTERM");
  assert.deepEqual(await once(parent, "exit"), [null, "SIGTERM"]);
});

test("the output of a child to pipes is kept, and its time is limited", async () => {
  const script = `console.log("out"); console.error("err"); ${STAY}`;
  const ended = await run(process.execPath, ["-e", script], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 1_000,
  });
  assert.equal(ended.signal, "SIGTERM");
  assert.deepEqual(ended.output.trim().split("\n").toSorted(), ["err", "out"]);
});

test("a program that is not there is an error", async () => {
  await assert.rejects(run("/nowhere/program", []), /ENOENT/u);
});
