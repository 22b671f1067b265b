import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { run } from "../../../scripts/child.mjs";
import { ROOT } from "../../../scripts/files.ts";
import { startTocsin, waitForOutput, waitForExit } from "../../../cli/src/tocsin.fixture.ts";
import { ON_SQLITE } from "../support/database.ts";
import { HELLO, post } from "../contract/http-requests.ts";
import { startSystemPostgres, POSTGRES_TOOLS_SKIP_REASON } from "../support/postgres-tools.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const KEY = /"key":"([0-9a-f-]{36})"/;

/** Returns a code block of docs/backup.md by its heading and the first words after its fence. */
async function readCommands(heading: string, fence: string): Promise<string> {
  const page = await readFile(join(ROOT, "docs/backup.md"), "utf8");
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [, block] = new RegExp(`^\`\`\`${fence} .*\\n([^]*?)^\`\`\`$`, "m").exec(section) ?? [];
  if (block === undefined) throw new Error(`docs/backup.md has no block ${fence} in ${heading}.`);
  return block;
}

interface Installation {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs commands of the page in a folder, with this repository's `tocsin`. */
async function runCommands({ folder, environment }: Installation, text: string): Promise<string> {
  const tocsin = `tocsin() { '${process.execPath}' '${join(ROOT, "cli/src/main.ts")}' "$@"; }`;
  const script = `set -eu\n${tocsin}\n${text}`;
  const { code, output } = await run("bash", ["-c", script], {
    cwd: folder,
    env: { PATH: process.env["PATH"], NODE_OPTIONS: process.env["NODE_OPTIONS"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  assert.equal(code, 0, `${text}\n${output}`);
  return output;
}

/** Starts a server that ends with the test. Returns its URL and a function that stops it. */
async function startServer(t: TestContext, { folder, environment }: Installation) {
  const child = startTocsin(["serve"], {
    cwd: folder,
    environment: { TOCSIN_PORT: "0", ...environment },
  });
  t.after(() => child.kill("SIGKILL"));
  const exited = waitForExit(child);
  let output = "";
  child.stdout?.on("data", (text: string) => (output += text));
  await waitForOutput(child.stdout, "Tocsin listens on");
  const [, url = ""] = /listens on (http:\S+)/.exec(output) ?? [];
  const stop = async () => {
    child.kill("SIGINT");
    await exited;
  };
  return { url, stop };
}

const CREATE_ACCOUNT =
  "echo 'correct horse battery' | tocsin account create --email ann@example.org --name Ann --json";

test("following the page on SQLite restores the keys and the secrets", ON_SQLITE, async (t) => {
  const folder = await createTemporaryFolder(t);
  const installation = { folder, environment: {} };
  const [, key = ""] =
    KEY.exec((await runCommands(installation, CREATE_ACCOUNT)).replaceAll(/\s/g, "")) ?? [];
  const firstServer = await startServer(t, installation);
  assert.equal((await post(firstServer.url, { key, body: HELLO })).status, 200);
  const useTestFolder = (text: string) =>
    text.replaceAll("/var/backups", join(folder, "backups")).replaceAll("/etc/", `${folder}/etc-`);
  await mkdir(join(folder, "backups"));
  await runCommands(installation, useTestFolder(await readCommands("SQLite", "sh backup")));
  const secrets = await readFile(join(folder, "data/vapid.json"), "utf8");
  await firstServer.stop();
  await cp(join(folder, "backups"), join(folder, "kept"), { recursive: true });
  await rm(join(folder, "data/tocsin.db"));

  const restore = useTestFolder(await readCommands("SQLite", "sh restore"));
  assert.match(restore, /tocsin doctor\ntocsin serve\n$/);
  // The doctor would report that a test machine has no https URL; the server is started below.
  await runCommands(installation, restore.replace(/tocsin doctor\ntocsin serve\n$/, ""));
  const restored = await startServer(t, installation);
  assert.equal((await post(restored.url, { key, body: HELLO })).status, 200);
  assert.equal(await readFile(join(folder, "data/vapid.json"), "utf8"), secrets);
  await restored.stop();
});

test(
  "following the page on PostgreSQL restores the keys",
  { skip: POSTGRES_TOOLS_SKIP_REASON },
  async (t) => {
    const { url, folder: tools } = await startSystemPostgres(t);
    const folder = await mkdtemp(join(tmpdir(), "tocsin-restore-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const environment = {
      PATH: `${tools}:${process.env["PATH"]}`,
      TOCSIN_DATABASE_URL: `${url}/postgres`,
      RESTORED_URL: `${url}/restored`,
    };
    const installation = { folder, environment };
    const [, key = ""] =
      KEY.exec((await runCommands(installation, CREATE_ACCOUNT)).replaceAll(/\s/g, "")) ?? [];
    await runCommands(installation, await readCommands("PostgreSQL", "sh dump"));
    await runCommands(installation, await readCommands("PostgreSQL", "sh restore"));
    const restored = { folder, environment: { TOCSIN_DATABASE_URL: environment.RESTORED_URL } };
    const server = await startServer(t, restored);
    assert.equal((await post(server.url, { key, body: HELLO })).status, 200);
    await server.stop();
  },
);
