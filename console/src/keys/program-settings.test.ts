import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { KNOWN_PROGRAMS } from "./program-settings.ts";

const RECIPES = join(import.meta.dirname, "..", "..", "..", "docs", "recipes");

function createSettings(dialect: "ntfy" | "gotify", program: string, url: string) {
  const known = KNOWN_PROGRAMS[dialect].find(({ name }) => name === program);
  assert.ok(known, program);
  return known.createSettings({ url, key: "YOUR_API_KEY" });
}

/** The program of each recipe. A test on the server sends with the settings of the recipe. */
const PROGRAMS_BY_RECIPE = [
  ["sonarr.md", "ntfy", "Sonarr, Radarr"],
  ["uptime-kuma.md", "ntfy", "Uptime Kuma"],
  ["changedetection.md", "ntfy", "Apprise, changedetection"],
  ["watchtower.md", "gotify", "Watchtower"],
] as const;

for (const [page, dialect, program] of PROGRAMS_BY_RECIPE) {
  test(`the settings of ${program} are those of its recipe`, () => {
    const text = readFileSync(join(RECIPES, page), "utf8");
    const settings = createSettings(dialect, program, "https://push.example.org");
    const rows = Array.from(
      text.matchAll(/^\| ([^|]+?) +\| `([^`]+)` +\|$/gmu),
      ([, field, value]) => [field, value],
    );
    const isNamed = ([field]: readonly (string | undefined)[]) =>
      settings.some(([name]) => name === field);
    if (rows.length > 0) assert.deepEqual(settings, rows.filter(isNamed));
    else for (const [, value] of settings) assert.ok(text.includes(value), value);
  });
}

test("a server without TLS has the URLs that say so", () => {
  const apprise = createSettings("gotify", "Apprise", "http://10.0.0.2:8080");
  assert.equal(apprise[0]?.[1], "gotify://10.0.0.2:8080/YOUR_API_KEY");
  const watchtower = createSettings("gotify", "Watchtower", "http://10.0.0.2");
  assert.equal(watchtower[1]?.[1], "gotify://10.0.0.2/YOUR_API_KEY?priority=5&disabletls=yes");
});
