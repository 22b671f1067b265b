import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { SOUNDS } from "@tocsin/sdk";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { DESCRIPTIONS } from "../descriptions.ts";
import { runTocsin } from "../tocsin.fixture.ts";

const HAS_ZSH = spawnSync("zsh", ["-c", ""]).error === undefined;
const HAS_FISH = spawnSync("fish", ["-c", ""]).error === undefined;

/** Writes the completion script for a shell into a new folder. */
async function writeScript(t: TestContext, shell: string) {
  const folder = await createTemporaryFolder(t);
  const file = join(folder, "tocsin-completion");
  const { code, stdout, stderr } = await runTocsin(["completion", shell]);
  assert.deepEqual([code, stderr], [0, ""]);
  writeFileSync(file, stdout);
  return { folder, file };
}

let helpOptions: ReturnType<typeof readHelpOptions> | null = null;

/** Returns the options that each command's `--help` prints. */
function getHelpOptions(): ReturnType<typeof readHelpOptions> {
  helpOptions ??= readHelpOptions();
  return helpOptions;
}

async function readHelpOptions(): Promise<ReadonlyMap<string, readonly string[]>> {
  const entries = DESCRIPTIONS.map(async ({ name }) => {
    const { stdout } = await runTocsin([...name.split(" "), "--help"]);
    const options = Array.from(stdout.matchAll(/^ {2}(--[a-z-]+)/gm), ([, option]) => option ?? "");
    return [name, [...options, "--help"].toSorted()] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Returns bash's completions of each command line. The last word of a line is incomplete. */
function completeInBash(
  { folder, file }: { readonly folder: string; readonly file: string },
  lines: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const quoteWords = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
  const statements = lines.map((words) => {
    const position = words.length - 1;
    return `COMP_WORDS=(${quoteWords(words)}) COMP_CWORD=${position}; _tocsin; echo "\${COMPREPLY[*]}"`;
  });
  const program = [`source '${file}'`, "complete -p tocsin >&2", ...statements].join("\n");
  const output = execFileSync("bash", ["--norc", "-u", "-c", program], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return output
    .split("\n")
    .slice(0, -1)
    .map((line) =>
      line
        .split(" ")
        .filter((word) => word !== "")
        .toSorted(),
    );
}

test("bash completes every command and every option in its --help", async (t) => {
  const script = await writeScript(t, "bash");
  const optionsByCommand = await getHelpOptions();
  const lines = [...optionsByCommand.keys()].map((name) => ["tocsin", ...name.split(" "), "--"]);
  const [commands, ...options] = completeInBash(script, [["tocsin", ""], ...lines]);
  const firstWords = new Set([...optionsByCommand.keys()].map((name) => name.replace(/ .*/, "")));
  assert.deepEqual(commands, Array.from(firstWords).toSorted());
  assert.deepEqual(options, [...optionsByCommand.values()]);
});

test("bash completes second words, option values and folders", async (t) => {
  const script = await writeScript(t, "bash");
  mkdirSync(join(script.folder, "backups"));
  const cases: readonly (readonly [line: readonly string[], completions: readonly string[]])[] = [
    [
      ["tocsin", "se"],
      ["send", "serve"],
    ],
    [
      ["tocsin", "account", ""],
      ["create", "invite", "list", "reset"],
    ],
    [
      ["tocsin", "audit", ""],
      ["export", "verify"],
    ],
    [["tocsin", "audit", "verify", "--j"], ["--json"]],
    [
      ["tocsin", "key"],
      ["key", "keys"],
    ],
    [["tocsin", "send", "--sound", ""], SOUNDS.toSorted()],
    [["tocsin", "send", "--sound", "do"], ["doorbell"]],
    // Bash splits --sound=do and --sound= into these words.
    [["tocsin", "send", "--sound", "=", "do"], ["doorbell"]],
    [["tocsin", "send", "--sound", "="], SOUNDS.toSorted()],
    [["tocsin", "send", "--channel", ""], []],
    [
      ["tocsin", "send", "Title", "--time"],
      ["--time-sensitive", "--timeout"],
    ],
    [["tocsin", "send", "--", "--"], []],
    [
      ["tocsin", "completion", ""],
      ["--help", "bash", "fish", "zsh"],
    ],
    [["tocsin", "backup", "b"], ["backups"]],
    [["tocsin", "account", "create", "--e"], ["--email"]],
    [["tocsin", "unknown", "--"], []],
  ];
  const completionsOfLines = completeInBash(
    script,
    cases.map(([line]) => line),
  );
  assert.deepEqual(
    completionsOfLines,
    cases.map(([, completions]) => completions),
  );
});

const NO_ZSH = HAS_ZSH ? false : "zsh is not installed";

test(
  "zsh accepts its completion script, which contains every option",
  { skip: NO_ZSH },
  async (t) => {
    const { folder, file } = await writeScript(t, "zsh");
    const program = `autoload -Uz compinit; compinit -u -D; source '${file}'; print $_comps[tocsin]`;
    const env = { ...process.env, ZDOTDIR: folder };
    const runZsh = (args: readonly string[]) =>
      execFileSync("zsh", ["-f", ...args], { encoding: "utf8", env });
    assert.equal(runZsh(["-n", file]), "");
    assert.equal(runZsh(["-c", program]), "_tocsin\n");
    const zshScript = runZsh(["-c", `cat '${file}'`]);
    for (const options of (await getHelpOptions()).values()) {
      for (const option of options) assert.ok(zshScript.includes(`'${option}`), option);
    }
  },
);

const NO_FISH = HAS_FISH ? false : "fish is not installed";

test("fish completes every command and every option", { skip: NO_FISH }, async (t) => {
  const { folder, file } = await writeScript(t, "fish");
  const optionsByCommand = await getHelpOptions();
  const lines = [
    "",
    ...[...optionsByCommand.keys()].map((name) => `${name} --`),
    "account ",
    "send --sound do",
  ];
  const statements = lines.map((line) => `complete -C 'tocsin ${line}'; echo`);
  const program = [`source '${file}'`, ...statements].join("\n");
  const output = execFileSync("fish", ["--no-config", "-c", program], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, HOME: folder },
  });
  const completions = output.split("\n\n").map((block) =>
    block
      .split("\n")
      .map((line) => line.split("\t")[0] ?? "")
      .toSorted(),
  );
  const firstWords = new Set([...optionsByCommand.keys()].map((name) => name.replace(/ .*/, "")));
  const expected = [
    Array.from(firstWords).toSorted(),
    ...optionsByCommand.values(),
    ["create", "invite", "list", "reset"],
    ["doorbell"],
  ];
  assert.deepEqual(completions.slice(0, expected.length), expected);
});

test("an unknown shell, two shells and none are wrong usage", async () => {
  for (const args of [[], ["tcsh"], ["bash", "zsh"]]) {
    const { code, stdout, stderr } = await runTocsin(["completion", ...args]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /Give one shell: bash, zsh, fish/);
  }
});
