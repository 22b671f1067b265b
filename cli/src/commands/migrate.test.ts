import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { runTocsin } from "../tocsin.fixture.ts";

test("concurrent migrations all succeed, and each step runs once", async (t) => {
  const dataDir = join(await createTemporaryFolder(t), "data");
  const environment = { TOCSIN_DATA_DIR: dataDir };
  const runs = await Promise.all(
    Array.from({ length: 4 }, () => runTocsin(["migrate", "--json"], { environment })),
  );
  assert.deepEqual(
    runs.map(({ code, stderr }) => [code, stderr]),
    runs.map(() => [0, ""]),
  );
  const steps = runs.flatMap(({ stdout }): string[] => JSON.parse(stdout).steps);
  assert.equal(new Set(steps).size, steps.length, "each step is taken once");
  assert.equal(steps[0], "0001-accounts");
  const again = await runTocsin(["migrate"], { environment });
  assert.deepEqual([again.code, again.stdout], [0, "Up to date.\n"]);
});

test("a database that does not answer is reported without its password", async () => {
  const url = "postgres://ann:hunter2@127.0.0.1:1/tocsin";
  const { code, stderr } = await runTocsin(["migrate"], {
    environment: { TOCSIN_DATABASE_URL: url },
  });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^PostgreSQL does not answer at 127\.0\.0\.1:1\. Start it, or correct TOCSIN_DATABASE_URL/,
  );
  assert.doesNotMatch(stderr, /hunter2/);
});
