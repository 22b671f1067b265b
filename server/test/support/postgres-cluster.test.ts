import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

const CLUSTER = new URL("./postgres-cluster.ts", import.meta.url);

test("a process that may start a cluster ends with the exit code that it set", () => {
  const source = `await import(${JSON.stringify(CLUSTER.href)}); process.exitCode = 3;`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", source]);
  assert.equal(status, 3, String(stderr));
});
