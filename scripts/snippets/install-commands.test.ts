import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT, listSourceFiles } from "../files.ts";
import { findInstallProblems } from "./install-commands.ts";

/** Every file with instructions that a user may follow: pages, console texts, help, snippets, systemd units, examples. */
const INSTRUCTION_FILES = listSourceFiles().filter(
  (file) =>
    /\.(?:css|html|json|mjs|md|py|service|ts|tsx|ya?ml)$|(?:^|\/)Dockerfile$/u.test(file) &&
    !/\.test\.ts$|(?:^|\/)package-lock\.json$/u.test(file),
);

test("no file tells users to install an unpublished package from a registry", () => {
  const problems = INSTRUCTION_FILES.flatMap((file) =>
    findInstallProblems(readFileSync(join(ROOT, file), "utf8")).map(
      ({ line, problem }) => `${file}:${line}: ${problem}`,
    ),
  );
  assert.deepEqual(problems, [], `\n${problems.join("\n")}`);
  for (const file of ["README.md", "cli/README.md", "sdk/README.md", "deploy/tocsin.service"]) {
    assert.ok(INSTRUCTION_FILES.includes(file), file);
  }
});

test("a command or URL that installs a package by name is reported until the package is published", () => {
  const installCommands = [
    "npx tocsin demo",
    "npx --yes tocsin@latest demo",
    "npx --package=tocsin -c 'tocsin demo'",
    "npm install tocsin --global --prefix /opt/tocsin",
    "npm --global install tocsin",
    "npm i --save \\\n  @tocsin/sdk@0.1.0",
    "pnpm add @tocsin/sdk",
    "yarn dlx tocsin",
    "bunx tocsin",
    "deno add npm:@tocsin/sdk",
    'import { createClient } from "npm:@tocsin/sdk@1";',
    '<script src="https://unpkg.com/@tocsin/sdk"></script>',
  ];
  for (const command of installCommands) {
    assert.notDeepEqual(findInstallProblems(`First.\n${command}\n`), [], command);
    assert.deepEqual(findInstallProblems(command, new Set(["tocsin", "@tocsin/sdk"])), [], command);
  }
  assert.deepEqual(
    findInstallProblems("First.\nnpx tocsin demo").map(({ line }) => line),
    [2],
  );
});

test("a package from a checkout or a file is not reported", () => {
  for (const text of [
    "npm run tocsin -- demo",
    "npm install --global --prefix /opt/tocsin ./tocsin-*.tgz",
    "npm install ./tocsin-sdk-0.1.0.tgz",
    'import { createClient } from "@tocsin/sdk";',
    "tocsin serve",
  ]) {
    assert.deepEqual(findInstallProblems(text), [], text);
  }
});
