import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROVIDER_LABELS, PROVIDERS, type ProviderName } from "@tocsin/sdk";
import { PATHS } from "../console/src/paths.ts";
import { readConfig } from "../server/src/config/config.ts";
import { ROOT, sourceFiles } from "./files.ts";
import { readSource } from "./source.ts";

/** A file that names this many settings or pages maintains them, so CONTRIBUTING.md must list it. */
const NAMES_MIN = 5;

/** Files that are generated from other files. */
const GENERATED = ["server/openapi.json", "docs/command-line.md"];
/** Describes only changes since the first version, which already had most providers and settings. */
const CHANGELOG = "CHANGELOG.md";

const files = sourceFiles().filter((file) => !GENERATED.includes(file));
const shipped = files.filter(
  (file) => /^(?:sdk|cli|console|action|server\/src)\//u.test(file) && !/\.test\.tsx?$/u.test(file),
);
const languages = readdirSync(join(ROOT, "console/src/language"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test("every script of the repository has a row with the time limit of CI", () => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: object };
  const rows = new Map(
    Array.from(
      read("CONTRIBUTING.md").matchAll(
        /^\| `npm (?:run )?([\w-]+)(?: -- \w+)?` +\| ([^|]+?) +\|/gmu,
      ),
      ([, script = "", takes = ""]) => [script, takes],
    ),
  );
  // `npm run campaign` runs one campaign; all campaigns together have a row.
  const missing = Object.keys(scripts).filter((name) => name !== "campaign" && !rows.has(name));
  assert.deepEqual(missing, []);
  const pipeline = read(".ci/run");
  const secondsOf = (name: string) =>
    Number(new RegExp(`\\b${name}=(\\d+)`, "u").exec(pipeline)?.[1]);
  const phases = pipeline.matchAll(/within_time "\$(\w+)" npm run --silent (?!test )(\w+)/gu);
  const timed = [...phases].map(([, name = "", script = ""]) => [script, secondsOf(name)] as const);
  assert.ok(timed.length >= 3);
  for (const [script, seconds] of [...timed, ["check", secondsOf("TESTS_S")] as const]) {
    assert.equal(rows.get(script), `${Math.round(seconds / 60)} min`, script);
  }
});

test("the files listed for a new field all contain `icon`", () => {
  const paths = pathsInSection("Add a field");
  assert.equal(paths.length, 13);
  for (const path of paths) assert.match(read(path), /\bicon\b/, path);
});

test("the files listed for a new provider are the files that name every provider", () => {
  const listed = pathsInSection("Add a provider");
  for (const provider of PROVIDERS) {
    for (const path of listed.filter((one) => one.includes("NAME"))) {
      assert.match(read(path.replaceAll("NAME", provider)), namePattern(provider), path);
    }
  }
  const shared = listed.filter((path) => !path.includes("NAME"));
  const namesAllIn = (text: string) => PROVIDERS.every((one) => namePattern(one).test(text));
  // Parsing is slow, and few files pass the first check.
  const namesAll = (path: string) => namesAllIn(read(path)) && namesAllIn(readCode(path));
  assert.deepEqual(
    shared.filter((path) => path !== CHANGELOG && !namesAll(path)),
    [],
  );
  // The rules and faults that are tested for every provider.
  const providerTests = files.filter((file) =>
    /^server\/test\/(?:ports|journeys)\/[^/]+(?<!\.journey)\.ts$/u.test(file),
  );
  assertListed(listed, [...shipped, ...providerTests].filter(namesAll));
});

test("the files listed for a new setting are the files that name many settings", () => {
  const listed = pathsInSection("Add a setting");
  const settings = readSettings();
  const namedIn = (path: string) => {
    const text = read(path);
    return settings.filter((name) => new RegExp(`\\b${name}(?:_FILE)?\\b`, "u").test(text));
  };
  for (const path of ["docs/configuration.md", "server/test/contract/config.test.ts"]) {
    assert.ok(listed.includes(path), path);
    assert.deepEqual(namedIn(path), settings, path);
  }
  assert.deepEqual(
    listed.filter((path) => path !== CHANGELOG && !/\bTOCSIN_/u.test(read(path))),
    [],
  );
  const readers = shipped.filter((path) =>
    /^import .*\bEnvironmentReader\b.*"\.\/environment-reader\.ts"/mu.test(read(path)),
  );
  const deployed = files.filter((path) => /^(?:docs\/|deploy\/|compose|Dockerfile)/u.test(path));
  const many = [...shipped, ...deployed].filter((path) => namedIn(path).length >= NAMES_MIN);
  assertListed(listed, [...readers, ...many]);
});

test("the files listed for a new page are the files that name many pages", () => {
  const listed = pathsInSection("Add a page");
  const names = Object.keys(PATHS);
  const namedIn = (path: string) => {
    const text = read(path);
    return names.filter((name) => new RegExp(`\\bPATHS\\.${name}\\b`, "u").test(text));
  };
  assert.deepEqual(namedIn("console/src/router/router.tsx"), names);
  assertListed(
    listed,
    shipped.filter((path) => namedIn(path).length >= NAMES_MIN),
  );
  for (const path of listed.filter((one) => !one.includes("ROOM"))) read(path);
  const texts = listed.filter((path) => path.includes("ROOM.json"));
  assert.equal(texts.length, languages.length);
  const lookJourneys = files
    .filter((file) => file.startsWith("server/test/journeys/look/"))
    .map(read);
  for (const { component, paths } of routerPages()) {
    const rooms = Array.from(
      read(component).matchAll(/\bt\(\s*["`](\w+)\./gu),
      ([, one = ""]) => one,
    );
    for (const path of texts) for (const room of rooms) read(path.replace("ROOM", room));
    const isCovered = paths.some((path) =>
      lookJourneys.some((look) => linkPattern(path).test(look)),
    );
    assert.ok(isCovered, `no journey looks at ${component}`);
  }
});

/** Returns the paths in a section. Expands `{a,b}` and `LANGUAGE`; `NAME` and `ROOM` stay. */
function pathsInSection(heading: string): readonly string[] {
  const page = read("CONTRIBUTING.md");
  const [, section = ""] = new RegExp(`^## ${heading}\n([^]*?)^## `, "mu").exec(page) ?? [];
  return [...section.matchAll(/`([\w./{},-]*[\w}]\.[a-z]+)`/gu)].flatMap(([, path = ""]) =>
    expandPath(path),
  );
}

function expandPath(path: string): readonly string[] {
  const [all, choice = ""] = /\{([^}]*)\}/u.exec(path) ?? [];
  if (all !== undefined) {
    return choice.split(",").flatMap((one) => expandPath(path.replace(all, one)));
  }
  if (!path.includes("LANGUAGE")) return [path];
  return languages.map((language) => path.replace("LANGUAGE", language));
}

function assertListed(listed: readonly string[], found: readonly string[]): void {
  assert.ok(found.length >= NAMES_MIN);
  const missing = found.filter((path) => !listed.includes(path));
  assert.deepEqual(missing, [], "CONTRIBUTING.md does not list them");
}

function namePattern(provider: ProviderName): RegExp {
  return new RegExp(`${provider}|${PROVIDER_LABELS[provider]}`, "iu");
}

/** Returns the environment variables that the server reads, without their `_FILE` variants. */
function readSettings(): readonly string[] {
  const requested = new Set<string>();
  readConfig(new Proxy({}, { get: (_nothing, name) => void requested.add(String(name)) }));
  return [...requested].filter((name) => !name.endsWith("_FILE"));
}

interface RoutedPage {
  readonly component: string;
  readonly paths: readonly string[];
}

/** Returns the router's pages: the file of each component, with its paths. */
function routerPages(): readonly RoutedPage[] {
  const router = read("console/src/router/router.tsx");
  const routed = router.matchAll(/PATHS\.(\w+),\s[^]*?import\("\.\.\/([^"]+)"\)/gu);
  const pages = Map.groupBy(routed, ([, , file = ""]) => `console/src/${file}`);
  return Array.from(pages, ([component, routes]) => ({
    component,
    paths: routes.map(
      ([, name = ""]) => Object.entries(PATHS).find(([one]) => one === name)?.[1] ?? "",
    ),
  }));
}

/** Returns a pattern for URLs in source text that lead to a path of the console. */
function linkPattern(path: string): RegExp {
  return new RegExp(`["'\`}]${path.replace("$id", `[^"'\`/]+`)}(?=["'\`?#])`, "u");
}

function readCode(path: string): string {
  const text = read(path);
  return /\.(?:ts|tsx|mjs)$/u.test(path) ? readSource(path, text).code : text;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
