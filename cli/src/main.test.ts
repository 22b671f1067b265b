import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DESCRIPTIONS } from "./descriptions.ts";
import { runTocsin } from "./tocsin.fixture.ts";

const KEY = "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b";
const COMMANDS = DESCRIPTIONS.map(({ name }) => name);

test("--help lists every command, and each command has a --help with an example", async () => {
  const { code, stdout, stderr } = await runTocsin(["--help"]);
  assert.equal(code, 0);
  assert.equal(stderr, "");
  for (const name of COMMANDS) {
    assert.match(stdout, new RegExp(`^  ${name} `, "m"));
    const help = await runTocsin([...name.split(" "), "--help"]);
    assert.equal(help.code, 0);
    assert.ok(help.stdout.startsWith(`Usage: tocsin ${name}`));
    assert.match(help.stdout, /Exit codes: 0/);
    const example = new RegExp(`^ {2}.*\\btocsin ${name}\\b`, "m");
    assert.match(help.stdout.replace(/^Usage.*/, ""), example, `${name} has no example`);
  }
});

test("--version prints the version of the package", async () => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { code, stdout } = await runTocsin(["--version"]);
  assert.equal(code, 0);
  assert.equal(stdout, `${JSON.parse(manifest).version}\n`);
});

test("a missing or unknown command is wrong usage, and lists the commands", async () => {
  const none = await runTocsin([]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /^Usage: tocsin/);
  const unknownCommandRun = await runTocsin(["sned"]);
  assert.equal(unknownCommandRun.code, 2);
  assert.match(
    unknownCommandRun.stderr,
    new RegExp(`no command "sned".*: ${COMMANDS.join(", ")}\\.`),
  );
  assert.match(unknownCommandRun.stderr, /Did you mean tocsin send\?/);
  const incomplete = await runTocsin(["account", "remove"]);
  assert.equal(incomplete.code, 2);
  assert.match(incomplete.stderr, /no command "account remove".*account create/);
  assert.equal(`${none.stdout}${unknownCommandRun.stdout}${incomplete.stdout}`, "");
});

test("an unknown option is wrong usage, also reported as JSON with --json", async () => {
  const { code, stdout, stderr } = await runTocsin(["send", "Hello", "--frob", "--json"]);
  assert.equal(code, 2);
  assert.match(stderr, /There is no option --frob\. Put -- before a text/);
  assert.match(stderr, /See tocsin send --help/);
  const { success, error } = JSON.parse(stdout);
  assert.deepEqual([success, error.code], [false, "usage"]);
});

test("a mistyped option or value gets a suggestion", async () => {
  const cases = [
    [["send", "Hello", "--channell", "a"], "--channell", "--channel"],
    [["send", "Hello", "--time_sensitive"], "--time_sensitive", "--time-sensitive"],
    [["send", "Hello", "-json"], "-json", "--json"],
    [["send", "Hello", "--idempotencykey=secret"], "--idempotencykey", "--idempotency-key"],
    [["account", "create", "--mail", "a@example.org"], "--mail", "--email"],
    [["doctor", "--jsn"], "--jsn", "--json"],
  ] as const;
  for (const [args, typed, meant] of cases) {
    const { code, stderr } = await runTocsin(args);
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(`There is no option ${typed}. Did you mean ${meant}?\n`), stderr);
  }
  const { stderr } = await runTocsin(["send", "Hello", "--sound", "dorbell"]);
  assert.match(stderr, /Did you mean doorbell\?/);
});

test("an API key in the wrong position is not repeated in the error", async () => {
  for (const args of [
    [KEY],
    ["demo", KEY.toUpperCase()],
    ["account", KEY],
    ["demo", KEY, "--json"],
  ]) {
    const { code, stdout, stderr } = await runTocsin(args);
    assert.equal(code, 2);
    assert.doesNotMatch(`${stdout}${stderr}`, new RegExp(KEY, "i"));
    assert.match(stderr, /<key>/);
  }
});
