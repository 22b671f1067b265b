import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDump, normalizeSql } from "./schema-dump.ts";

test("a table has one line per column and constraint, in any formatting of the source", () => {
  const expectedSql =
    'CREATE TABLE "key" (\n  "id" text primary key,\n  "kind" text check ("kind" in (\'a\', \'b\')),\n  unique ("id", "kind")\n)';
  const tightSql = `CREATE TABLE "key" ("id" text primary key,"kind" text check ("kind" in ('a', 'b')),unique ("id", "kind"))`;
  const looseSql = `CREATE TABLE  "key" (\n"id" text primary key ,\n\n "kind" text\tcheck ("kind" in ('a', 'b')), unique ("id", "kind")\n  ) `;
  assert.equal(normalizeSql(tightSql), expectedSql);
  assert.equal(normalizeSql(looseSql), expectedSql);
});

test("an index stays on one line", () => {
  const sql = 'CREATE INDEX "a"\n  on "key" ("id",  "kind") where "gone_at" is null';
  assert.equal(
    normalizeSql(sql),
    'CREATE INDEX "a" on "key" ("id", "kind") where "gone_at" is null',
  );
});

test("spaces, commas and brackets in quotes are kept as they are", () => {
  assert.equal(
    normalizeSql(`CREATE TABLE "a (b" ("c" text default ',  (''x''')`),
    `CREATE TABLE "a (b" (\n  "c" text default ',  (''x'''\n)`,
  );
});

test("a dump sorts tables by name, each followed by its indexes", () => {
  const statements = [
    { table: "team", name: "team", sql: "create table team (id text)" },
    { table: "key", name: "z_index", sql: "create index z_index on key (id)" },
    { table: "key", name: "a_index", sql: "create index a_index on key (id)" },
    { table: "key", name: "key", sql: "create table key (id text)" },
  ];
  const names = formatDump(statements).match(/(?:table|index) \w+/gu);
  assert.deepEqual(names, ["table key", "index a_index", "index z_index", "table team"]);
  assert.equal(formatDump(statements), formatDump(statements.toReversed()));
});
