import assert from "node:assert/strict";
import test from "node:test";
import { readSource, type Source } from "../source.ts";
import { parseHistory, touchedBy } from "./history.ts";
import { looseFiles, packageFiles, planOf, roomOfDelivery, roomOfHouse } from "./rooms.ts";
import { aboveCeilings, tableOf } from "./rows.ts";
import { clockRollbackFiles, countPronounOpenings, sharedTypeNames } from "./words.ts";

function sourcesOf(texts: Readonly<Record<string, string>>): readonly Source[] {
  return Object.entries(texts).map(([path, text]) => readSource(path, text));
}

const HOUSE = sourcesOf({
  "server/src/app.ts": 'import "#delivery/worker/worker.ts"; import "#ids.ts"; import "node:fs";',
  "server/src/ids.ts": "",
  "server/src/ids.test.ts": 'import "#http/server.ts";',
  "server/src/http/server.ts": 'import "./answer.ts"; import type { Id } from "../ids.ts";',
  "server/src/http/answer.ts": 'import { a } from "@tocsin/sdk"; export * from "#ids.ts";',
  "server/src/delivery/lease.ts": 'import type { Worker } from "./worker/worker.ts";',
  "server/src/delivery/worker/worker.ts": 'import "../store/claim.ts"; await import("#ids.ts");',
  "server/src/delivery/store/claim.ts": 'import "../lease.ts"; import "./claim.ts";',
  "server/test/support/app.ts": 'import "../../src/app.ts";',
  "sdk/src/index.ts": "",
  "cli/src/main.ts": 'import "@tocsin/server/main.ts";',
});
const packages = packageFiles({
  "sdk/package.json": { name: "@tocsin/sdk", exports: { ".": "./src/index.ts" } },
  "server/package.json": { name: "@tocsin/server", exports: { "./main.ts": "./src/main.ts" } },
});

test("the house has a room for each folder and loose file, and an arrow for each pair that imports", () => {
  const plan = planOf(HOUSE, { roomOf: roomOfHouse, packages });
  // app, ids, http, delivery, sdk and cli; app to delivery and ids, http to ids and sdk, delivery to ids, cli to main.
  assert.deepEqual(plan, { rooms: 6, arrows: 6 });
  assert.equal(looseFiles(HOUSE, "server/src"), 2);
});

test("delivery has rooms and arrows of its own", () => {
  const plan = planOf(HOUSE, { roomOf: roomOfDelivery, packages });
  assert.deepEqual(plan, { rooms: 3, arrows: 3 });
  assert.equal(looseFiles(HOUSE, "server/src/delivery"), 1);
});

test("a name of a type counts once, however many files define it", () => {
  const sources = sourcesOf({
    "server/src/a.ts": "interface Held {} interface Twice {} interface Twice {} type Own = 1;",
    "server/src/b.ts": "export type Held = 1; class Page {}",
    "server/src/c.ts": "export class Held {}",
    "server/src/c.test.ts": "class Page {}",
    "console/src/c.ts": "type Own = 1;",
  });
  assert.deepEqual(sharedTypeNames(sources), { count: 1, all: 4 });
});

test("a comment that begins with a pronoun is counted, and one that holds it is not", () => {
  const text =
    "/** What is sent. */\n\n// Whose it is\n\n// Tells who\n\n// Whatsoever, or\n// Those";
  assert.deepEqual(countPronounOpenings(sourcesOf({ "a.ts": text })), { count: 2, all: 4 });
});

test("a rollback of a clock is known by a comment or a name, and one of a transaction is none", () => {
  const sources = sourcesOf({
    "server/src/a.ts": "// After a clock was\n// set back, all is due.",
    "server/src/b.ts": "const isRolledBack = true;",
    "server/src/c.ts": "// The clock ticks.\n\n// A rollback of all.\nrollback();",
    "server/src/d.test.ts": "const setBack = 1;",
  });
  assert.equal(clockRollbackFiles(sources), 2);
});

test("the history tells of bodies, and of files that a change touches by hand", () => {
  const log = [
    "\u001Ecli: stop\u001F\n\u001F\n\ncli/src/stop.ts\n",
    "\u001Eall: an icon\u001FBecause.\n\u001F\n\nsdk/src/index.ts\nserver/openapi.json\na.ts\n",
    "\u001Eall: icons\u001F\u001F\n",
  ].join("");
  const history = parseHistory(log);
  assert.deepEqual(
    history.map(({ subject, hasBody }) => [subject, hasBody]),
    [
      ["cli: stop", false],
      ["all: an icon", true],
      ["all: icons", false],
    ],
  );
  assert.equal(touchedBy("icon", history), 2);
  assert.equal(touchedBy("sound", history), null);
});

test("a figure above its ceiling is told, and the table shows what is unknown", () => {
  const rows = [
    { name: "rooms", was: 58, goal: 36, now: 35 },
    { name: "arrows", was: 260, goal: 180, now: 190, of: 200 },
    { name: "commits", was: 3, goal: 2, now: null },
  ];
  assert.deepEqual(aboveCeilings(rows, { rooms: 35, arrows: 189, commits: 0 }), [
    "arrows: 190, and not above 189 (npm run house)",
  ]);
  assert.deepEqual(tableOf(rows), [
    "measured  was  goal   now",
    "rooms     58   ≤ 36   35",
    "arrows    260  ≤ 180  190 of 200",
    "commits   3    ≤ 2    unknown",
  ]);
});
