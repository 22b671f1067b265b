import assert from "node:assert/strict";
import test from "node:test";
import { readSource, type Source } from "../source.ts";
import { parseHistory, countTouchedFiles } from "./history.ts";
import { looseFiles, packageFiles, buildPlan, roomOfDelivery, roomOfHouse } from "./rooms.ts";
import { aboveCeilings, formatTable } from "./rows.ts";
import { clockRollbackFiles, countPronounOpenings, sharedTypeNames } from "./words.ts";

function parseSources(texts: Readonly<Record<string, string>>): readonly Source[] {
  return Object.entries(texts).map(([path, text]) => readSource(path, text));
}

const HOUSE = parseSources({
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

test("the house has a room per folder or loose file, and an arrow per importing pair", () => {
  const plan = buildPlan(HOUSE, { roomOf: roomOfHouse, packages });
  // app, ids, http, delivery, sdk and cli; app to delivery and ids, http to ids and sdk, delivery to ids, cli to main.
  assert.deepEqual(plan, { rooms: 6, arrows: 6 });
  assert.equal(looseFiles(HOUSE, "server/src"), 2);
});

test("delivery has its own rooms and arrows", () => {
  const plan = buildPlan(HOUSE, { roomOf: roomOfDelivery, packages });
  assert.deepEqual(plan, { rooms: 3, arrows: 3 });
  assert.equal(looseFiles(HOUSE, "server/src/delivery"), 1);
});

test("a type name that several files define counts once", () => {
  const sources = parseSources({
    "server/src/a.ts": "interface Held {} interface Twice {} interface Twice {} type Own = 1;",
    "server/src/b.ts": "export type Held = 1; class Page {}",
    "server/src/c.ts": "export class Held {}",
    "server/src/c.test.ts": "class Page {}",
    "console/src/c.ts": "type Own = 1;",
  });
  assert.deepEqual(sharedTypeNames(sources), { count: 1, all: 4 });
});

test("only a comment that begins with a pronoun is counted", () => {
  const text =
    "/** What is sent. */\n\n// Whose it is\n\n// Tells who\n\n// Whatsoever, or\n// Those";
  assert.deepEqual(countPronounOpenings(parseSources({ "a.ts": text })), { count: 2, all: 4 });
});

test("a clock rollback is found in comments and names; a transaction rollback is not counted", () => {
  const sources = parseSources({
    "server/src/a.ts": "// After a clock was\n// set back, all is due.",
    "server/src/b.ts": "const isRolledBack = true;",
    "server/src/c.ts": "// The clock ticks.\n\n// A rollback of all.\nrollback();",
    "server/src/d.test.ts": "const setBack = 1;",
  });
  assert.equal(clockRollbackFiles(sources), 2);
});

test("the history shows commit bodies and the hand-written files that a change touches", () => {
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
  assert.equal(countTouchedFiles("icon", history), 2);
  assert.equal(countTouchedFiles("sound", history), null);
});

test("a figure above its ceiling is reported, and the table shows unknown figures", () => {
  const rows = [
    { name: "rooms", was: 58, goal: 36, now: 35 },
    { name: "arrows", was: 260, goal: 180, now: 190, of: 200 },
    { name: "commits", was: 3, goal: 2, now: null },
  ];
  assert.deepEqual(aboveCeilings(rows, { rooms: 35, arrows: 189, commits: 0 }), [
    "arrows: 190, and not above 189 (npm run house)",
  ]);
  assert.deepEqual(formatTable(rows), [
    "measured  was  goal   now",
    "rooms     58   ≤ 36   35",
    "arrows    260  ≤ 180  190 of 200",
    "commits   3    ≤ 2    unknown",
  ]);
});
