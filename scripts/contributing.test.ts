import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROVIDER_LABELS, PROVIDERS, type ProviderName } from "@tocsin/sdk";
import { PATHS } from "../console/src/paths.ts";
import { readConfig } from "../server/src/config/config.ts";
import { ROOT, sourceFiles } from "./files.ts";
import { readSource } from "./source.ts";

/** A file that names so many of a kind is a place where the kind is kept, so its list has to name it. */
const MANY = 5;

/** They are made from other files. */
const MADE = ["server/openapi.json", "docs/command-line.md"];
/** It tells of the versions since the first, which had most providers and settings. */
const HISTORY = "CHANGELOG.md";

const files = sourceFiles().filter((file) => !MADE.includes(file));
const shipped = files.filter(
  (file) => /^(?:sdk|cli|console|action|server\/src)\//u.test(file) && !/\.test\.tsx?$/u.test(file),
);
const languages = readdirSync(join(ROOT, "console/src/language"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test("every script of the repository has a row, with the time that CI reckons with", () => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: object };
  const rows = new Map(
    Array.from(
      read("CONTRIBUTING.md").matchAll(
        /^\| `npm (?:run )?([\w-]+)(?: -- \w+)?` +\| ([^|]+?) +\|/gmu,
      ),
      ([, script = "", takes = ""]) => [script, takes],
    ),
  );
  // `npm run campaign` runs one of those that have a row together.
  const missing = Object.keys(scripts).filter((name) => name !== "campaign" && !rows.has(name));
  assert.deepEqual(missing, []);
  const pipeline = read(".ci/run");
  const secondsOf = (name: string) =>
    Number(new RegExp(`\\b${name}=(\\d+)`, "u").exec(pipeline)?.[1]);
  const phases = pipeline.matchAll(/within_time "\$(\w+)" npm run --silent (?!test )(\w+)/gu);
  const reckoned = [...phases].map(
    ([, name = "", script = ""]) => [script, secondsOf(name)] as const,
  );
  assert.ok(reckoned.length >= 3);
  for (const [script, seconds] of [...reckoned, ["check", secondsOf("TESTS_S")] as const]) {
    assert.equal(rows.get(script), `${Math.round(seconds / 60)} min`, script);
  }
});

test("the files of CONTRIBUTING.md that a field touches are those of `icon`", () => {
  const paths = listOf("Add a field");
  assert.equal(paths.length, 13);
  for (const path of paths) assert.match(read(path), /\bicon\b/, path);
});

test("the files that a provider touches are those that name every provider", () => {
  const listed = listOf("Add a provider");
  for (const provider of PROVIDERS) {
    for (const path of listed.filter((one) => one.includes("NAME"))) {
      assert.match(read(path.replaceAll("NAME", provider)), nameOf(provider), path);
    }
  }
  const shared = listed.filter((path) => !path.includes("NAME"));
  const namesAllIn = (text: string) => PROVIDERS.every((one) => nameOf(one).test(text));
  // Parsing takes long, and few files pass the first test.
  const namesAll = (path: string) => namesAllIn(read(path)) && namesAllIn(codeOf(path));
  assert.deepEqual(
    shared.filter((path) => path !== HISTORY && !namesAll(path)),
    [],
  );
  // The laws and the faults that every provider is held to.
  const demanding = files.filter((file) =>
    /^server\/test\/(?:ports|journeys)\/[^/]+(?<!\.journey)\.ts$/u.test(file),
  );
  assertListed(listed, [...shipped, ...demanding].filter(namesAll));
});

test("the files that a setting touches are those that name many, and some name every one", () => {
  const listed = listOf("Add a setting");
  const settings = settingsRead();
  const namedIn = (path: string) => {
    const text = read(path);
    return settings.filter((name) => new RegExp(`\\b${name}(?:_FILE)?\\b`, "u").test(text));
  };
  for (const path of ["docs/configuration.md", "server/test/contract/config.test.ts"]) {
    assert.ok(listed.includes(path), path);
    assert.deepEqual(namedIn(path), settings, path);
  }
  assert.deepEqual(
    listed.filter((path) => path !== HISTORY && !/\bTOCSIN_/u.test(read(path))),
    [],
  );
  const readers = shipped.filter((path) =>
    /^import .*\bEnvironmentReader\b.*"\.\/environment-reader\.ts"/mu.test(read(path)),
  );
  const deployed = files.filter((path) => /^(?:docs\/|deploy\/|compose|Dockerfile)/u.test(path));
  const many = [...shipped, ...deployed].filter((path) => namedIn(path).length >= MANY);
  assertListed(listed, [...readers, ...many]);
});

test("the files that a page touches are those that name many, and some name every one", () => {
  const listed = listOf("Add a page");
  const names = Object.keys(PATHS);
  const namedIn = (path: string) => {
    const text = read(path);
    return names.filter((name) => new RegExp(`\\bPATHS\\.${name}\\b`, "u").test(text));
  };
  assert.deepEqual(namedIn("console/src/router/router.tsx"), names);
  assertListed(
    listed,
    shipped.filter((path) => namedIn(path).length >= MANY),
  );
  for (const path of listed.filter((one) => !one.includes("ROOM"))) read(path);
  const texts = listed.filter((path) => path.includes("ROOM.json"));
  assert.equal(texts.length, languages.length);
  const looks = files.filter((file) => file.startsWith("server/test/journeys/look/")).map(read);
  for (const { component, paths } of pagesOfRouter()) {
    const rooms = Array.from(
      read(component).matchAll(/\bt\(\s*["`](\w+)\./gu),
      ([, one = ""]) => one,
    );
    for (const path of texts) for (const room of rooms) read(path.replace("ROOM", room));
    const isSeen = paths.some((path) => looks.some((look) => leadsTo(path).test(look)));
    assert.ok(isSeen, `no journey looks at ${component}`);
  }
});

/** Returns the paths in a section, one for each of `{a,b}` and for each language; `NAME` and `ROOM` stay. */
function listOf(heading: string): readonly string[] {
  const page = read("CONTRIBUTING.md");
  const [, section = ""] = new RegExp(`^## ${heading}\n([^]*?)^## `, "mu").exec(page) ?? [];
  return [...section.matchAll(/`([\w./{},-]*[\w}]\.[a-z]+)`/gu)].flatMap(([, path = ""]) =>
    alternatives(path),
  );
}

function alternatives(path: string): readonly string[] {
  const [all, choice = ""] = /\{([^}]*)\}/u.exec(path) ?? [];
  if (all !== undefined) {
    return choice.split(",").flatMap((one) => alternatives(path.replace(all, one)));
  }
  if (!path.includes("LANGUAGE")) return [path];
  return languages.map((language) => path.replace("LANGUAGE", language));
}

function assertListed(listed: readonly string[], found: readonly string[]): void {
  assert.ok(found.length >= MANY);
  const missing = found.filter((path) => !listed.includes(path));
  assert.deepEqual(missing, [], "CONTRIBUTING.md does not list them");
}

function nameOf(provider: ProviderName): RegExp {
  return new RegExp(`${provider}|${PROVIDER_LABELS[provider]}`, "iu");
}

/** Returns the names that the server asks its environment for; each may also come from a file. */
function settingsRead(): readonly string[] {
  const asked = new Set<string>();
  readConfig(new Proxy({}, { get: (_nothing, name) => void asked.add(String(name)) }));
  return [...asked].filter((name) => !name.endsWith("_FILE"));
}

interface RoutedPage {
  readonly component: string;
  readonly paths: readonly string[];
}

/** Returns the pages of the router by the file of their component, each with the paths that lead there. */
function pagesOfRouter(): readonly RoutedPage[] {
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

/** Returns what an address in a text looks like that leads to a path of the console. */
function leadsTo(path: string): RegExp {
  return new RegExp(`["'\`}]${path.replace("$id", `[^"'\`/]+`)}(?=["'\`?#])`, "u");
}

function codeOf(path: string): string {
  const text = read(path);
  return /\.(?:ts|tsx|mjs)$/u.test(path) ? readSource(path, text).code : text;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
