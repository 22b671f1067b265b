import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { run } from "../../../scripts/child.mjs";
import { ROOT } from "../../../scripts/files.ts";
import { startTocsin, printed, ended } from "../../../cli/src/tocsin.fixture.ts";
import { ON_SQLITE } from "../support/database.ts";
import { HELLO, post } from "../contract/ask.ts";
import { startOwnTools, NO_TOOLS } from "../support/postgres-tools.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const KEY = /"key":"([0-9a-f-]{36})"/;

/** Returns the commands of a block of code of docs/backup.md, by the heading and what stands behind its fence. */
async function commands(heading: string, fence: string): Promise<string> {
  const page = await readFile(join(ROOT, "docs/backup.md"), "utf8");
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [, block] = new RegExp(`^\`\`\`${fence} .*\\n([^]*?)^\`\`\`$`, "m").exec(section) ?? [];
  if (block === undefined) throw new Error(`docs/backup.md has no block ${fence} in ${heading}.`);
  return block;
}

interface Place {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs commands of the page in a folder, where `tocsin` is the command of this repository. */
async function follow({ folder, environment }: Place, text: string): Promise<string> {
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

/** Starts a server that ends with the test; returns its address, and how to stop it. */
async function serve(t: TestContext, { folder, environment }: Place) {
  const child = startTocsin(["serve"], {
    cwd: folder,
    environment: { TOCSIN_PORT: "0", ...environment },
  });
  t.after(() => child.kill("SIGKILL"));
  const over = ended(child);
  let said = "";
  child.stdout?.on("data", (text: string) => (said += text));
  await printed(child.stdout, "Tocsin listens on");
  const [, url = ""] = /listens on (http:\S+)/.exec(said) ?? [];
  const stop = async () => {
    child.kill("SIGINT");
    await over;
  };
  return { url, stop };
}

const CREATE =
  "echo 'correct horse battery' | tocsin account create --email ann@example.org --name Ann --json";

test(
  "the page on SQLite brings back the keys and the secrets of the backup",
  ON_SQLITE,
  async (t) => {
    const folder = await temporaryFolder(t);
    const place = { folder, environment: {} };
    const [, key = ""] = KEY.exec((await follow(place, CREATE)).replaceAll(/\s/g, "")) ?? [];
    const first = await serve(t, place);
    assert.equal((await post(first.url, { key, body: HELLO })).status, 200);
    const own = (text: string) =>
      text
        .replaceAll("/var/backups", join(folder, "backups"))
        .replaceAll("/etc/", `${folder}/etc-`);
    await mkdir(join(folder, "backups"));
    await follow(place, own(await commands("SQLite", "sh backup")));
    const secrets = await readFile(join(folder, "data/vapid.json"), "utf8");
    await first.stop();
    await cp(join(folder, "backups"), join(folder, "kept"), { recursive: true });
    await rm(join(folder, "data/tocsin.db"));

    const restore = own(await commands("SQLite", "sh restore"));
    assert.match(restore, /tocsin doctor\ntocsin serve\n$/);
    // A machine of tests has no https address, which the doctor would call a fault; the server is started below.
    await follow(place, restore.replace(/tocsin doctor\ntocsin serve\n$/, ""));
    const again = await serve(t, place);
    assert.equal((await post(again.url, { key, body: HELLO })).status, 200);
    assert.equal(await readFile(join(folder, "data/vapid.json"), "utf8"), secrets);
    await again.stop();
  },
);

test("the page on PostgreSQL brings back the keys of the dump", { skip: NO_TOOLS }, async (t) => {
  const { url, folder: tools } = await startOwnTools(t);
  const folder = await mkdtemp(join(tmpdir(), "tocsin-restore-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const environment = {
    PATH: `${tools}:${process.env["PATH"]}`,
    TOCSIN_DATABASE_URL: `${url}/postgres`,
    RESTORED_URL: `${url}/restored`,
  };
  const place = { folder, environment };
  const [, key = ""] = KEY.exec((await follow(place, CREATE)).replaceAll(/\s/g, "")) ?? [];
  await follow(place, await commands("PostgreSQL", "sh dump"));
  await follow(place, await commands("PostgreSQL", "sh restore"));
  const restored = { folder, environment: { TOCSIN_DATABASE_URL: environment.RESTORED_URL } };
  const server = await serve(t, restored);
  assert.equal((await post(server.url, { key, body: HELLO })).status, 200);
  await server.stop();
});
