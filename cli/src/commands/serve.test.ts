import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { listen } from "../../../server/test/doubles/listen.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { waitForExit, waitForOutput, startTocsin, runTocsin } from "../tocsin.fixture.ts";

test("serve prints the set-up link, and exits with code 0 after SIGINT", async (t) => {
  const environment = { TOCSIN_PORT: "0", TOCSIN_DATA_DIR: await createTemporaryFolder(t) };
  const child = startTocsin(["serve"], { environment });
  t.after(() => child.kill("SIGKILL"));
  const exited = waitForExit(child);
  await waitForOutput(child.stdout, "/set-up#token=");
  child.kill("SIGINT");
  const { code, stdout, stderr } = await exited;
  assert.equal(code, 0);
  assert.match(stdout, /Tocsin listens on http:\/\/127\.0\.0\.1:\d+/);
  assert.equal(stderr, "");
});

test("a second server on the same data folder is refused in one line", async (t) => {
  const environment = { TOCSIN_PORT: "0", TOCSIN_DATA_DIR: await createTemporaryFolder(t) };
  const firstServer = startTocsin(["serve"], { environment });
  t.after(() => firstServer.kill("SIGKILL"));
  await waitForOutput(firstServer.stdout, "Tocsin listens on");
  const { code, stderr } = await runTocsin(["serve"], { environment });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^Another Tocsin server runs on the data folder .* set TOCSIN_DATA_DIR\.\n$/,
  );
});

test("a port in use is reported in one line with its remedy", async (t) => {
  const occupant = createServer();
  const port = await listen(occupant);
  t.after(() => occupant.close());
  const dataDir = await createTemporaryFolder(t);
  const environment = { TOCSIN_PORT: String(port), TOCSIN_DATA_DIR: dataDir };
  const { code, stderr } = await runTocsin(["serve"], { environment });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^Port ${port} of 127.0.0.1 is in use\\. .*TOCSIN_PORT\\.\n$`));
});

test("a data folder that is a file is reported in one line with its remedy", async (t) => {
  const file = join(await createTemporaryFolder(t), "file");
  writeFileSync(file, "");
  const environment = { TOCSIN_PORT: "0", TOCSIN_DATA_DIR: file };
  const { code, stdout, stderr } = await runTocsin(["serve"], { environment });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^The data folder .* is not a folder\. Set TOCSIN_DATA_DIR to one\.\n$/);
});

test("serve lists every problem of the configuration, and accepts no options", async () => {
  const environment = { TOCSIN_PORT: "a", TOCSIN_SIGN_UP: "b" };
  const { code, stderr } = await runTocsin(["serve"], { environment });
  assert.equal(code, 1);
  assert.match(stderr, /TOCSIN_PORT[^]*TOCSIN_SIGN_UP/);
  assert.equal((await runTocsin(["serve", "--port", "1"])).code, 2);
});
