import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { runInNewContext } from "node:vm";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { countCommits } from "./count-commits.ts";
import { formatDiagram, parseDiagram, updateSteps } from "./diagram.ts";
import { findCommonPath } from "./common-path.ts";
import { ENTERED_FUNCTION, instrumentSource } from "./instrument.ts";

const SOURCE = `
function declared(a: number): number;
function declared(a: unknown) { return a; }
const arrow = (a: number) => (b: number) => ({ a, b });
class Sample {
  #field = () => 1;
  constructor(readonly: boolean) { this.value = readonly; }
  value: boolean;
  get own() { return this.#field(); }
  static async make() { return "// {"; }
}
function unused() {}
declared(1); arrow(1)(2); void new Sample(true).own; void Sample.make();
`;

test("instrumented code reports every function entry and behaves as before", () => {
  const entered: string[] = [];
  const code = stripTypeScriptTypes(instrumentSource("a.ts", SOURCE));
  assert.equal(code.split("\n").length, SOURCE.split("\n").length);
  const arrow = runInNewContext(`${code}; arrow(3)(4)`, {
    [ENTERED_FUNCTION]: (start: string) => entered.push(start),
  });
  assert.deepEqual({ ...arrow }, { a: 3, b: 4 });
  const arrows = ["a.ts:4:15", "a.ts:4:30"];
  const classEntries = ["a.ts:7:14", "a.ts:9:10", "a.ts:6:12", "a.ts:10:20"];
  assert.deepEqual(entered, ["a.ts:3:1", ...arrows, ...classEntries, ...arrows]);
});

test("the common path has the functions of most recordings in their most common order", () => {
  const common = ["a.ts:1:1", "b.ts:1:1", "a.ts:9:1", "b.ts:1:1"];
  const swapped = ["b.ts:1:1", "a.ts:1:1", "a.ts:9:1"];
  const withTimer = ["timer.ts:1:1", ...common];
  assert.deepEqual(findCommonPath([swapped, withTimer, common, ["a.ts:1:1", "b.ts:1:1"]]), {
    files: ["a.ts", "b.ts"],
    functions: ["a.ts:1:1", "b.ts:1:1", "a.ts:9:1"],
  });
});

test("commits are counted in SQLite's write-ahead log, including after a checkpoint restarts it", async (t) => {
  const path = join(await createTemporaryFolder(t), "sample.db");
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  database.exec("pragma journal_mode = wal; create table item (name text)");
  database.exec("begin; insert into item values ('a'); insert into item values ('b'); commit");
  database.exec("insert into item values ('c')");
  assert.equal(await countCommits(`${path}-wal`), 3);
  database.exec("begin; insert into item values ('d'); rollback");
  assert.equal(await countCommits(`${path}-wal`), 3);
  database.exec("pragma wal_checkpoint(restart); insert into item values ('e')");
  assert.ok((await readFile(`${path}-wal`)).length > 0);
  assert.equal(await countCommits(`${path}-wal`), 1);
});

const STEPS = [
  { name: "receive", effect: "bytes become a request", files: ["http/server.ts", "http/a-b.ts"] },
  {
    name: "authenticate",
    effect: "the key becomes a principal",
    files: ["ids.ts", "keys/verify.ts", "http/answer.ts"],
  },
];

test("a formatted diagram parses back, and its lines fit the width", () => {
  const text = formatDiagram(STEPS);
  assert.match(
    text,
    /^receive: bytes become a request\n│ http\/\{server,a-b\}\.ts\nauthenticate: the key becomes/u,
  );
  assert.deepEqual(parseDiagram(text), STEPS);
  const files = Array.from({ length: 40 }, (_, index) => `some-folder/file-${index}.ts`);
  const longDiagram = [{ name: "receive", effect: "all", files }];
  assert.deepEqual(parseDiagram(formatDiagram(longDiagram)), longDiagram);
  for (const line of formatDiagram(longDiagram).split("\n")) assert.ok(line.length <= 100, line);
});

test("an updated diagram follows the measured order: new files join the current step, missing ones go", () => {
  const files = ["http/server.ts", "new.ts", "ids.ts", "http/a-b.ts", "keys/verify.ts"];
  assert.deepEqual(
    updateSteps(STEPS, files).map((step) => step.files),
    [
      ["http/server.ts", "new.ts"],
      ["ids.ts", "http/a-b.ts", "keys/verify.ts"],
    ],
  );
});
