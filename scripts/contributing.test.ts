import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROVIDER_LABELS, PUSH_PROVIDERS, type ProviderName } from "@tocsin/sdk";
import { PATHS } from "../console/src/paths.ts";
import { readConfig } from "../server/src/config/config.ts";
import { ROOT, listSourceFiles } from "./files.ts";
import { readSource } from "./source.ts";

/** A file that names this many settings or pages maintains them, so CONTRIBUTING.md must list it. */
const NAMES_MIN = 5;

/** Files that are generated from other files. */
const GENERATED_FILES = ["server/openapi.json", "docs/command-line.md"];
/** Describes only changes since the first version, which already had most providers and settings. */
const CHANGELOG = "CHANGELOG.md";

const files = listSourceFiles().filter((file) => !GENERATED_FILES.includes(file));
const shippedFiles = files.filter(
  (file) => /^(?:sdk|cli|console|action|server\/src)\//u.test(file) && !/\.test\.tsx?$/u.test(file),
);
const languages = readdirSync(join(ROOT, "console/src/language"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test("every script of the repository has a row, with the time limit if CI limits the script", () => {
  const { scripts } = JSON.parse(readText("package.json")) as { readonly scripts: object };
  const rows = new Map(
    Array.from(
      readText("CONTRIBUTING.md").matchAll(
        /^\| `npm (?:run )?([\w-]+)(?: -- \w+)?` +\| ([^|]+?) +\|/gmu,
      ),
      ([, script = "", timeLimit = ""]) => [script, timeLimit],
    ),
  );
  // `npm run campaign` runs one campaign; all campaigns together have a row.
  const missingScripts = Object.keys(scripts).filter(
    (name) => name !== "campaign" && !rows.has(name),
  );
  assert.deepEqual(missingScripts, []);
  const pipeline = readText(".ci/run");
  const readSeconds = (name: string) =>
    Number(new RegExp(`\\b${name}=(\\d+)`, "u").exec(pipeline)?.[1]);
  const phases = pipeline.matchAll(/within_time "\$(\w+)" npm run --silent (?!test )(\w+)/gu);
  const timedScripts = [...phases].map(
    ([, name = "", script = ""]) => [script, readSeconds(name)] as const,
  );
  assert.ok(timedScripts.length >= 3);
  for (const [script, seconds] of [...timedScripts, ["check", readSeconds("TESTS_S")] as const]) {
    assert.equal(rows.get(script), `${Math.round(seconds / 60)} min`, script);
  }
});

test("the files listed for a new field all contain `icon`", () => {
  const paths = listPathsInSection("Add a field");
  assert.equal(paths.length, 13);
  for (const path of paths) assert.match(readText(path), /\bicon\b/, path);
});

test("the files listed for a new provider are the files that name every provider", () => {
  const listedPaths = listPathsInSection("Add a provider");
  for (const provider of PUSH_PROVIDERS) {
    for (const path of listedPaths.filter((listed) => listed.includes("NAME"))) {
      assert.match(readText(path.replaceAll("NAME", provider)), createNamePattern(provider), path);
    }
  }
  const sharedPaths = listedPaths.filter((path) => !path.includes("NAME"));
  const namesAllProvidersIn = (text: string) =>
    PUSH_PROVIDERS.every((provider) => createNamePattern(provider).test(text));
  // Parsing is slow, and few files pass the first check.
  const namesAllProviders = (path: string) =>
    namesAllProvidersIn(readText(path)) && namesAllProvidersIn(readCode(path));
  assert.deepEqual(
    sharedPaths.filter((path) => path !== CHANGELOG && !namesAllProviders(path)),
    [],
  );
  // Tests of the rules and faults of every provider.
  const providerTests = files.filter((file) =>
    /^server\/test\/(?:ports|journeys)\/[^/]+(?<!\.journey)\.ts$/u.test(file),
  );
  assertListed(listedPaths, [...shippedFiles, ...providerTests].filter(namesAllProviders));
});

test("the files listed for a new setting are the files that name many settings", () => {
  const listedPaths = listPathsInSection("Add a setting");
  const settings = readSettings();
  const findNamesIn = (path: string) => {
    const text = readText(path);
    return settings.filter((name) => new RegExp(`\\b${name}(?:_FILE)?\\b`, "u").test(text));
  };
  for (const path of ["docs/configuration.md", "server/test/contract/config.test.ts"]) {
    assert.ok(listedPaths.includes(path), path);
    assert.deepEqual(findNamesIn(path), settings, path);
  }
  assert.deepEqual(
    listedPaths.filter((path) => path !== CHANGELOG && !/\bTOCSIN_/u.test(readText(path))),
    [],
  );
  const readerFiles = shippedFiles.filter((path) =>
    /^import .*\bEnvironmentReader\b.*"\.\/environment-reader\.ts"/mu.test(readText(path)),
  );
  const deploymentFiles = files.filter((path) =>
    /^(?:docs\/|deploy\/|compose|Dockerfile)/u.test(path),
  );
  const filesWithManyNames = [...shippedFiles, ...deploymentFiles].filter(
    (path) => findNamesIn(path).length >= NAMES_MIN,
  );
  assertListed(listedPaths, [...readerFiles, ...filesWithManyNames]);
});

test("the files listed for a new page are the files that name many pages", () => {
  const listedPaths = listPathsInSection("Add a page");
  const names = Object.keys(PATHS);
  const findNamesIn = (path: string) => {
    const text = readText(path);
    return names.filter((name) => new RegExp(`\\bPATHS\\.${name}\\b`, "u").test(text));
  };
  assert.deepEqual(findNamesIn("console/src/router/router.tsx"), names);
  assertListed(
    listedPaths,
    shippedFiles.filter((path) => findNamesIn(path).length >= NAMES_MIN),
  );
  for (const path of listedPaths.filter((listed) => !listed.includes("ROOM"))) readText(path);
  const textPaths = listedPaths.filter((path) => path.includes("ROOM.json"));
  assert.equal(textPaths.length, languages.length);
  const lookJourneys = files
    .filter((file) => file.startsWith("server/test/journeys/look/"))
    .map(readText);
  for (const { component, paths } of listRouterPages()) {
    const rooms = Array.from(
      readText(component).matchAll(/\bt\(\s*["`](\w+)\./gu),
      ([, room = ""]) => room,
    );
    for (const path of textPaths) for (const room of rooms) readText(path.replace("ROOM", room));
    const isCovered = paths.some((path) =>
      lookJourneys.some((look) => createLinkPattern(path).test(look)),
    );
    assert.ok(isCovered, `no journey looks at ${component}`);
  }
});

/** Returns the paths in a section. Expands `{a,b}` and `LANGUAGE`; `NAME` and `ROOM` stay. */
function listPathsInSection(heading: string): readonly string[] {
  const page = readText("CONTRIBUTING.md");
  const [, section = ""] = new RegExp(`^## ${heading}\n([^]*?)^## `, "mu").exec(page) ?? [];
  return [...section.matchAll(/`([\w./{},-]*[\w}]\.[a-z]+)`/gu)].flatMap(([, path = ""]) =>
    expandPath(path),
  );
}

function expandPath(path: string): readonly string[] {
  const [braces, choice = ""] = /\{([^}]*)\}/u.exec(path) ?? [];
  if (braces !== undefined) {
    return choice.split(",").flatMap((part) => expandPath(path.replace(braces, part)));
  }
  if (!path.includes("LANGUAGE")) return [path];
  return languages.map((language) => path.replace("LANGUAGE", language));
}

function assertListed(listedPaths: readonly string[], found: readonly string[]): void {
  assert.ok(found.length >= NAMES_MIN);
  const missingPaths = found.filter((path) => !listedPaths.includes(path));
  assert.deepEqual(missingPaths, [], "CONTRIBUTING.md does not list them");
}

function createNamePattern(provider: ProviderName): RegExp {
  return new RegExp(`${provider}|${PROVIDER_LABELS[provider]}`, "iu");
}

/** Returns the environment variables that the server reads, without their `_FILE` variants. */
function readSettings(): readonly string[] {
  const requestedNames = new Set<string>();
  readConfig(new Proxy({}, { get: (_nothing, name) => void requestedNames.add(String(name)) }));
  return [...requestedNames].filter((name) => !name.endsWith("_FILE"));
}

interface RoutedPage {
  readonly component: string;
  readonly paths: readonly string[];
}

/** Returns the router's pages: the file of each component, with its paths. */
function listRouterPages(): readonly RoutedPage[] {
  const router = readText("console/src/router/router.tsx");
  const routeMatches = router.matchAll(/PATHS\.(\w+),\s[^]*?import\("\.\.\/([^"]+)"\)/gu);
  const pages = Map.groupBy(routeMatches, ([, , file = ""]) => `console/src/${file}`);
  return Array.from(pages, ([component, routes]) => ({
    component,
    paths: routes.map(
      ([, name = ""]) => Object.entries(PATHS).find(([pathName]) => pathName === name)?.[1] ?? "",
    ),
  }));
}

/** Returns a pattern for URLs in source text that lead to a path of the console. */
function createLinkPattern(path: string): RegExp {
  return new RegExp(`["'\`}]${path.replace("$id", `[^"'\`/]+`)}(?=["'\`?#])`, "u");
}

function readCode(path: string): string {
  const text = readText(path);
  return /\.(?:ts|tsx|mjs)$/u.test(path) ? readSource(path, text).code : text;
}

function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
