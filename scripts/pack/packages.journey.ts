import assert from "node:assert/strict";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { run } from "../child.mjs";
import { ROOT } from "../files.ts";
import { getNpmCommand } from "../installation.mjs";

const EMAIL = "ann@example.org";
const PASSWORD = "correct horse battery staple\n";

/** The folder of a user who installs only the tarballs, without the repository. */
let folder = "";
let key = "";
let server: RunningServer | null = null;

interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "tocsin-consumer-"));
  await runSuccessfully([process.execPath, "scripts/pack.ts", `--to=${folder}`], { cwd: ROOT });
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  const installOptions = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const paths = tarballs.map((name) => `./${name}`);
  await runSuccessfully([...getNpmCommand(process.env), "install", ...installOptions, ...paths]);
  server = await startServer();
  key = await createAccount();
});

after(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

test("the packages contain no TypeScript except declarations, and no tests", async () => {
  const packages = join(folder, "node_modules");
  for (const name of ["@tocsin/sdk", "@tocsin/server", "tocsin"]) {
    const files = await readdir(join(packages, name), { recursive: true });
    const unexpected = files.filter(
      (file) => /(?<!\.d)\.ts$/.test(file) || /\.(?:test|fixture)\./.test(file),
    );
    assert.deepEqual(unexpected, [], name);
    assert.ok(files.includes("LICENSE"), name);
    for (const file of files.filter((path) => path.endsWith(".js"))) {
      const text = await readFile(join(packages, name, file), "utf8");
      assert.doesNotMatch(text, /\bfrom "\.[^"]*\.ts"|new URL\("\.[^"]*\.ts"/, `${name}/${file}`);
    }
  }
});

test("the packaged tocsin prints its version, sends, and serves the console", async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, "cli/package.json"), "utf8")) as {
    readonly version: string;
  };
  assert.equal((await runTocsin(["--version"])).trim(), version);
  const output = await runTocsin(["send", "Backup", "It is done.", "--async", "--json"], {
    TOCSIN_URL: getServerUrl(),
    TOCSIN_API_KEY: key,
  });
  assert.equal((JSON.parse(output) as { readonly success: boolean }).success, true);
  const page = await fetch(getServerUrl(), { headers: { accept: "text/html" } });
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<script type="module"/);
});

test("the packaged tocsin signs in and out, and has all commands", async () => {
  const environment = { TOCSIN_URL: getServerUrl(), XDG_CONFIG_HOME: join(folder, "config") };
  const login = ["login", "--email", EMAIL, "--password-stdin", "--json"];
  const { email } = JSON.parse(await runTocsin(login, environment, PASSWORD)) as {
    readonly email: string;
  };
  assert.equal(email, EMAIL);
  assert.match(await runTocsin(["logout"], environment), /is revoked/);
  const help = await runTocsin(["--help"]);
  const names = Array.from(
    help.matchAll(/^ {2}([a-z]+(?: create)?) {2,}/gm),
    ([, name = ""]) => name,
  );
  assert.ok(names.includes("watch"), help);
  const env = { PATH: process.env["PATH"] };
  for (const name of names) {
    const { code, output } = await run(
      join(folder, "node_modules/.bin/tocsin"),
      [...name.split(" "), "--no-such-option"],
      { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] },
    );
    assert.equal(code, 2, output);
  }
});

/** Uses the SDK as a consumer does, and prints the results. */
const CONSUMER = `
  import { createClient, TocsinError } from "@tocsin/sdk";
  const [url, key] = (globalThis.Deno?.args ?? globalThis.process.argv.slice(2));
  const client = createClient({ baseUrl: url, apiKey: key });
  const sent = await client.notifyAsync({ title: "From a package", body: "Sent." });
  const refused = await createClient({ baseUrl: url, apiKey: "00000000-0000-4000-8000-000000000000" })
    .notifyAsync({ title: "No", body: "key" })
    .catch((error) => error);
  console.log(JSON.stringify({ sent: sent.success, refused: refused instanceof TocsinError && refused.status }));
`;

const RUNTIMES = {
  Node: [process.execPath],
  Bun: [join(ROOT, "node_modules/@oven/bun-linux-x64-baseline/bin/bun"), "run"],
  Deno: [join(ROOT, "node_modules/@deno/linux-x64-glibc/deno"), "run", "--quiet", "--allow-net"],
} as const;

for (const [name, command] of Object.entries(RUNTIMES)) {
  const skipReason = existsSync(command[0]) ? false : `${name} is not published for this machine`;
  test(`the SDK sends from ${name}`, { skip: skipReason }, async () => {
    const file = join(folder, `${name}.js`);
    await writeFile(file, CONSUMER);
    const output = await runSuccessfully([...command, file, getServerUrl(), key]);
    assert.deepEqual(JSON.parse(output), { sent: true, refused: 401 });
  });
}

test("the code of the SDK's README runs unchanged", async () => {
  const readme = await readFile(join(folder, "node_modules/@tocsin/sdk/README.md"), "utf8");
  const [, snippet] = /```js run=[^\n]+\n([^`]+)```/.exec(readme) ?? [];
  assert.ok(snippet !== undefined);
  const file = join(folder, "readme.js");
  await writeFile(file, snippet);
  const env = { ...process.env, TOCSIN_URL: getServerUrl(), TOCSIN_API_KEY: key };
  // The account has no device.
  assert.equal(await runSuccessfully([process.execPath, file], { env }), "false 0\n");
});

test("the types of the SDK pass strict checks and refuse wrong input", async () => {
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
  const settings = ["--noEmit", "--module", "nodenext", "--target", "es2024", "--types", ""];
  const check = (file: string) =>
    run(
      join(ROOT, "node_modules/.bin/tsc"),
      ["--ignoreConfig", ...strict, ...settings, "--lib", "es2024,dom,dom.iterable", file],
      { cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
    );
  const prelude = `import { createClient } from "@tocsin/sdk";
    const client = createClient({ baseUrl: "https://push.example.org", apiKey: "k" });
  `;
  await writeFile(
    join(folder, "right.ts"),
    `${prelude} const { success } = await client.notify({ title: "a", body: "b" });
    export const isSent: boolean = success;\n`,
  );
  const validResult = await check("right.ts");
  assert.equal(validResult.code, 0, validResult.output);
  await writeFile(join(folder, "wrong.ts"), `${prelude} await client.notify({ title: 1 });\n`);
  assert.match((await check("wrong.ts")).output, /wrong\.ts.*error TS/);
});

function getServerUrl(): string {
  assert.ok(server !== null);
  return server.url;
}

async function startServer(): Promise<RunningServer> {
  const child = spawn(process.execPath, [getMainPath(), "serve"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], TOCSIN_DATA_DIR: join(folder, "data"), TOCSIN_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /listens on (http:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url,
      async stop() {
        child.kill("SIGINT");
        await exited;
      },
    };
  }
  throw new Error("The server of the package did not start.");
}

async function createAccount(): Promise<string> {
  const args = ["account", "create", "--email", EMAIL, "--name", "Ann", "--json"];
  const environment = { TOCSIN_DATA_DIR: join(folder, "data") };
  const output = await runTocsin(args, environment, PASSWORD);
  return (JSON.parse(output) as { readonly key: string }).key;
}

function getMainPath(): string {
  return join(folder, "node_modules/tocsin/src/main.js");
}

/** Runs the packaged command and returns its output. */
async function runTocsin(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = "",
): Promise<string> {
  const env = { PATH: process.env["PATH"], ...environment };
  const command = join(folder, "node_modules/.bin/tocsin");
  return runSuccessfully([command, ...args], { env, input });
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** Returns the output of a program; if it fails, the assertion contains all output. */
async function runSuccessfully(
  [command = "", ...args]: readonly string[],
  { cwd = folder, env = process.env, input = "" }: RunOptions = {},
): Promise<string> {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (texts[name] += text));
  }
  child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(code, 0, `${command} ${args.join(" ")}\n${texts.stdout}\n${texts.stderr}`);
  return texts.stdout;
}
