import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { isPortOpen } from "../doubles/listen.ts";
import { eventually } from "./eventually.ts";

const CLUSTER_MODULE = new URL("./postgres-cluster.ts", import.meta.url);

test("a process that throws stops its PostgreSQL servers", async () => {
  const source = `
    const { startPostgres } = await import(${JSON.stringify(CLUSTER_MODULE.href)});
    const { port } = await startPostgres([]);
    console.log(port);
    throw new Error("On purpose.");`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", source]);
  assert.equal(status, 1);
  const port = Number(stdout);
  assert.ok(port > 0);
  await eventually(
    async () => isPortOpen(port),
    (open) => !open,
  );
});

test("importing the cluster module keeps the exit code of the process", () => {
  const source = `await import(${JSON.stringify(CLUSTER_MODULE.href)}); process.exitCode = 3;`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", source]);
  assert.equal(status, 3, String(stderr));
});
