import assert from "node:assert/strict";
import test from "node:test";
import { readSource, type Source } from "../source.ts";
import { parseHistory, countTouchedFiles } from "./history.ts";
import {
  countLooseFiles,
  mapPackageFiles,
  buildPlan,
  findDeliveryRoom,
  findHouseRoom,
} from "./rooms.ts";
import { findExceededCeilings, formatTable } from "./rows.ts";
import { countClockRollbackFiles, countPronounOpenings, countSharedTypeNames } from "./words.ts";

function parseSources(texts: Readonly<Record<string, string>>): readonly Source[] {
  return Object.entries(texts).map(([path, text]) => readSource(path, text));
}

const HOUSE_SOURCES = parseSources({
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
const PACKAGE_FILES = mapPackageFiles({
  "sdk/package.json": { name: "@tocsin/sdk", exports: { ".": "./src/index.ts" } },
  "server/package.json": { name: "@tocsin/server", exports: { "./main.ts": "./src/main.ts" } },
});

test("each folder or loose file is a room of the house, and each pair of rooms with an import is an arrow", () => {
  const plan = buildPlan(HOUSE_SOURCES, { findRoom: findHouseRoom, packages: PACKAGE_FILES });
  // app, ids, http, delivery, sdk and cli; app to delivery and ids, http to ids and sdk, delivery to ids, cli to main.
  assert.deepEqual(plan, { rooms: 6, arrows: 6 });
  assert.equal(countLooseFiles(HOUSE_SOURCES, "server/src"), 2);
});

test("the rooms and arrows of delivery/ are counted separately", () => {
  const plan = buildPlan(HOUSE_SOURCES, { findRoom: findDeliveryRoom, packages: PACKAGE_FILES });
  assert.deepEqual(plan, { rooms: 3, arrows: 3 });
  assert.equal(countLooseFiles(HOUSE_SOURCES, "server/src/delivery"), 1);
});

test("a type name defined in several files is counted once", () => {
  const sources = parseSources({
    "server/src/a.ts": "interface Held {} interface Twice {} interface Twice {} type Own = 1;",
    "server/src/b.ts": "export type Held = 1; class Page {}",
    "server/src/c.ts": "export class Held {}",
    "server/src/c.test.ts": "class Page {}",
    "console/src/c.ts": "type Own = 1;",
  });
  assert.deepEqual(countSharedTypeNames(sources), { count: 1, total: 4 });
});

test("only a comment that begins with a pronoun is counted", () => {
  const text =
    "/** What is sent. */\n\n// Whose it is\n\n// Tells who\n\n// Whatsoever, or\n// Those";
  assert.deepEqual(countPronounOpenings(parseSources({ "a.ts": text })), { count: 2, total: 4 });
});

test("a clock rollback is found in comments and names; a transaction rollback is not counted", () => {
  const sources = parseSources({
    "server/src/a.ts": "// After a clock was\n// set back, all is due.",
    "server/src/b.ts": "const isRolledBack = true;",
    "server/src/c.ts": "// The clock ticks.\n\n// A rollback of all.\nrollback();",
    "server/src/d.test.ts": "const setBack = 1;",
  });
  assert.equal(countClockRollbackFiles(sources), 2);
});

test("the history says which commits have a body, and how many hand-written files a change touches", () => {
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

test("a figure above its ceiling is reported, and an unknown figure is a row of the table", () => {
  const rows = [
    { name: "rooms", first: 58, goal: 36, now: 35 },
    { name: "arrows", first: 260, goal: 180, now: 190, total: 200 },
    { name: "commits", first: 3, goal: 2, now: null },
  ];
  assert.deepEqual(findExceededCeilings(rows, { rooms: 35, arrows: 189, commits: 0 }), [
    "arrows: 190 is above the ceiling of 189 (npm run house)",
  ]);
  assert.deepEqual(formatTable(rows), [
    "measured  was  goal   now",
    "rooms     58   ≤ 36   35",
    "arrows    260  ≤ 180  190 of 200",
    "commits   3    ≤ 2    unknown",
  ]);
});
