import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { listen } from "../../../server/test/doubles/listen.ts";
import { temporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { ended, printed, startTocsin, tocsin } from "../tocsin.fixture.ts";

test("serve prints the set-up link, and SIGINT ends it with exit code 0", async (test) => {
  const environment = { TOCSIN_PORT: "0", TOCSIN_DATA_DIR: await temporaryFolder(test) };
  const child = startTocsin(["serve"], { environment });
  test.after(() => child.kill("SIGKILL"));
  const exited = ended(child);
  await printed(child.stdout, "/set-up#token=");
  child.kill("SIGINT");
  const { code, stdout, stderr } = await exited;
  assert.equal(code, 0);
  assert.match(stdout, /Tocsin listens on http:\/\/127\.0\.0\.1:\d+/);
  assert.equal(stderr, "");
});

test("a second server on the same data folder is refused in one line", async (test) => {
  const environment = { TOCSIN_PORT: "0", TOCSIN_DATA_DIR: await temporaryFolder(test) };
  const first = startTocsin(["serve"], { environment });
  test.after(() => first.kill("SIGKILL"));
  await printed(first.stdout, "Tocsin listens on");
  const { code, stderr } = await tocsin(["serve"], { environment });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^Another Tocsin server runs on the data folder .* set TOCSIN_DATA_DIR\.\n$/,
  );
});

test("a port in use is reported in one line with its remedy", async (test) => {
  const occupant = createServer();
  const port = await listen(occupant);
  test.after(() => occupant.close());
  const dataDir = await temporaryFolder(test);
  const environment = { TOCSIN_PORT: String(port), TOCSIN_DATA_DIR: dataDir };
  const { code, stderr } = await tocsin(["serve"], { environment });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^Port ${port} of 127.0.0.1 is in use\\. .*TOCSIN_PORT\\.\n$`));
});

test("a data folder that is a file is reported in one line with its remedy", async (test) => {
  const file = join(await temporaryFolder(test), "file");
  writeFileSync(file, "");
  const environment = { TOCSIN_PORT: "0", TOCSIN_DATA_DIR: file };
  const { code, stdout, stderr } = await tocsin(["serve"], { environment });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^The data folder .* is not a folder\. Set TOCSIN_DATA_DIR to one\.\n$/);
});

test("serve lists every problem of the configuration, and accepts no options", async () => {
  const environment = { TOCSIN_PORT: "a", TOCSIN_SIGN_UP: "b" };
  const { code, stderr } = await tocsin(["serve"], { environment });
  assert.equal(code, 1);
  assert.match(stderr, /TOCSIN_PORT[^]*TOCSIN_SIGN_UP/);
  assert.equal((await tocsin(["serve", "--port", "1"])).code, 2);
});
