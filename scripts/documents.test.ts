import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { ROOT, sourceFiles } from "./files.ts";
import { readManifests } from "./packages.ts";

const DOCUMENTS = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const DEPLOYMENT = ["compose.yaml", "Dockerfile", "deploy/haproxy.cfg"];
/** Read by compose.yaml itself. */
const OF_COMPOSE = ["TOCSIN_PUBLISH"];
const SETTING = /\bTOCSIN_[A-Z0-9_]*[A-Z0-9]\b/g;

test("every setting that the documents and the deployment name is read", () => {
  const known = new Set([...settingsInCode(), ...OF_COMPOSE]);
  const isKnown = (name: string) => known.has(name) || known.has(name.replace(/_FILE$/, ""));
  for (const file of [...DOCUMENTS, ...DEPLOYMENT]) {
    const named = read(file).match(SETTING) ?? [];
    assert.deepEqual(
      [...new Set(named)].filter((name) => !isKnown(name)),
      [],
      file,
    );
  }
});

test("every setting of the server is in docs/configuration.md", () => {
  const named = new Set(read("docs/configuration.md").match(SETTING));
  const missing = settingsInCode().filter((name) => !named.has(name));
  assert.deepEqual(missing, []);
});

test("every command of tocsin that the documents name is there, with its options", () => {
  const help = tocsin("--help");
  const helps = new Map<string, string>();
  for (const file of DOCUMENTS) {
    for (const [, command = "", rest = ""] of codeOf(read(file)).matchAll(
      /\btocsin (?:-- )?([a-z]+(?: create)?)\b([^\n`|]*)/g,
    )) {
      assert.match(help, new RegExp(`^ {2}${command} `, "m"), `${file}: tocsin ${command}`);
      const own = helps.get(command) ?? tocsin(...command.split(" "), "--help");
      helps.set(command, own);
      for (const option of rest.match(/(?<=\s)--[a-z-]+/g) ?? []) {
        assert.ok(own.includes(option), `${file}: tocsin ${command} ${option}`);
      }
    }
  }
  assert.ok(helps.size > 3);
});

test("every metric that the documents name is measured", () => {
  const measured = read("server/src/metrics.ts");
  for (const file of DOCUMENTS) {
    for (const name of read(file).match(/\btocsin_[a-z_]+[a-z]\b/g) ?? []) {
      assert.ok(measured.includes(`"${name}"`), `${file}: ${name}`);
    }
  }
});

test("links between documents lead to a file", () => {
  for (const file of DOCUMENTS) {
    for (const [, target = ""] of read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      assert.ok(existsSync(join(ROOT, dirname(file), target)), `${file}: ${target}`);
    }
  }
});

test("the image runs the Node that the repository names", () => {
  const { node } = readManifests()["package.json"]?.devDependencies ?? {};
  const images = Array.from(read("Dockerfile").matchAll(/^FROM node:(\S+)/gm), ([, tag]) => tag);
  assert.deepEqual(images, [`${node}-slim`]);
});

function settingsInCode(): readonly string[] {
  const files = sourceFiles().filter(
    (file) => /^(server|cli)\/src\/.*\.ts$/.test(file) && !file.endsWith(".test.ts"),
  );
  const names = files.flatMap((file) =>
    Array.from(
      read(file).matchAll(/["`](TOCSIN_[A-Z0-9_]*[A-Z0-9])(?![A-Z0-9_])/g),
      ([, name]) => name ?? "",
    ),
  );
  return [...new Set(names)];
}

/** What stands in fences and between backticks. */
function codeOf(text: string): string {
  return (text.match(/^```[^]*?^```|`[^`\n]+`/gm) ?? []).join("\n");
}

function tocsin(...args: readonly string[]): string {
  const main = join(ROOT, "cli/src/main.ts");
  return execFileSync(process.execPath, [main, ...args], { encoding: "utf8" });
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}
