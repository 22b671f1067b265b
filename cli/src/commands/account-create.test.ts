import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { createDatabaseEnvironment, startApp } from "../../../server/test/support/app.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import {
  waitForExit,
  NO_TERMINAL,
  waitForOutput,
  startOnTerminal,
  runTocsin,
} from "../tocsin.fixture.ts";

const CREATE_ANN = ["account", "create", "--email", "Ann@example.org", "--name", "Ann"];
const PASSWORD = "correct horse";

/** Runs `tocsin` with the data folder and a password on standard input. */
function runInFolder(dataDir: string, args: readonly string[], input = `${PASSWORD}\n`) {
  return runTocsin(args, { environment: { TOCSIN_DATA_DIR: dataDir }, input });
}

/** Runs `tocsin` on the database that `startApp` uses for the folder. */
async function runOnTestDatabase(t: TestContext, dataDir: string, args: readonly string[]) {
  const databaseSettings = await createDatabaseEnvironment(t, dataDir);
  const environment = { TOCSIN_DATA_DIR: dataDir, ...databaseSettings };
  return runTocsin(args, { environment, input: `${PASSWORD}\n` });
}

test("an account created before the first start can sign in, send and administer", async (t) => {
  const dataDir = join(await createTemporaryFolder(t), "data");
  const { code, stdout, stderr } = await runOnTestDatabase(t, dataDir, [
    ...CREATE_ANN,
    "--admin",
    "--json",
  ]);
  assert.deepEqual([code, stderr], [0, ""]);
  const { accountId, key, ...rest } = JSON.parse(stdout);
  assert.deepEqual(rest, {});
  const { url } = await startApp(t, { dataDir });
  const client = createClient({ baseUrl: url, apiKey: key });
  assert.deepEqual((await client.notify({ title: "Hello", body: "" })).responses, []);
  await client.signIn({ email: "ann@example.org", password: PASSWORD });
  assert.deepEqual(await client.me(), {
    id: accountId,
    email: "ann@example.org",
    name: "Ann",
    isAdmin: true,
  });
});

test("an account created while a server runs works immediately", async (t) => {
  const { url, dataDir } = await startApp(t);
  const { code, stdout } = await runOnTestDatabase(t, dataDir, CREATE_ANN);
  assert.equal(code, 0);
  const [, key = ""] = /^API key {2}(\S+)/m.exec(stdout) ?? [];
  const client = createClient({ baseUrl: url, apiKey: key });
  assert.deepEqual((await client.notify({ title: "Hello", body: "" })).responses, []);
  await client.signIn({ email: "ann@example.org", password: PASSWORD });
  const { id, isAdmin } = await client.me();
  assert.equal(isAdmin, false);
  assert.match(stdout, new RegExp(`^Account {2}${id}$`, "m"));
});

test("account create exits with code 1 for an email address that has an account", async (t) => {
  const dataDir = await createTemporaryFolder(t);
  assert.equal((await runOnTestDatabase(t, dataDir, CREATE_ANN)).code, 0);
  const { code, stdout, stderr } = await runOnTestDatabase(t, dataDir, [...CREATE_ANN, "--json"]);
  assert.equal(code, 1);
  assert.match(stderr, /already an account with this email address/);
  assert.equal(JSON.parse(stdout).error.code, "conflict");
});

test("account create exits with code 2 if input is missing or invalid, and ignores further lines of input", async (t) => {
  const dataDir = await createTemporaryFolder(t);
  const runs = [
    await runInFolder(dataDir, ["account", "create", "--email", "ann@example.org"]),
    await runInFolder(dataDir, [...CREATE_ANN, "--email", "nobody"]),
    await runInFolder(dataDir, [...CREATE_ANN, "Ann"]),
    await runInFolder(dataDir, CREATE_ANN, "short\n"),
    await runInFolder(dataDir, CREATE_ANN, "\nsecond line\n"),
    await runInFolder(dataDir, CREATE_ANN, ""),
    await runTocsin(CREATE_ANN, { environment: { TOCSIN_DATA_DIR: dataDir } }),
  ];
  for (const { code, stdout, stderr } of runs) {
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /See tocsin account create --help/);
    assert.doesNotMatch(stderr, /short|second line/);
  }
  assert.equal(
    (await runInFolder(dataDir, CREATE_ANN, `${PASSWORD}\r\n${"more".repeat(2_000)}`)).code,
    0,
  );
});

test("an unusable data folder is reported in one line", async (t) => {
  const file = join(await createTemporaryFolder(t), "file");
  writeFileSync(file, "");
  const { code, stderr } = await runInFolder(file, CREATE_ANN);
  assert.equal(code, 1);
  assert.match(stderr, /^The data folder .* is not a folder\. .*\n$/);
});

test(
  "a terminal asks for the password twice and never shows it",
  { skip: NO_TERMINAL },
  async (t) => {
    const environment = { TOCSIN_DATA_DIR: await createTemporaryFolder(t) };
    const child = startOnTerminal(CREATE_ANN, { environment, keepsInput: true });
    const exited = waitForExit(child);
    await waitForOutput(child.stdout, "Password: ");
    child.stdin?.write(`${PASSWORD}\r`);
    await waitForOutput(child.stdout, "Once more: ");
    child.stdin?.write(`${PASSWORD}\r`);
    const { code, stdout } = await exited;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /API key/);
    assert.doesNotMatch(stdout, /correct|horse/);
  },
);

test("two different passwords are refused", { skip: NO_TERMINAL }, async (t) => {
  const environment = { TOCSIN_DATA_DIR: await createTemporaryFolder(t) };
  const child = startOnTerminal(CREATE_ANN, { environment, keepsInput: true });
  const exited = waitForExit(child);
  await waitForOutput(child.stdout, "Password: ");
  child.stdin?.write(`${PASSWORD}\rand another\r`);
  const { code, stdout } = await exited;
  assert.equal(code, 2, stdout);
  assert.match(stdout, /differ/);
  assert.doesNotMatch(stdout, /correct|another/);
});
