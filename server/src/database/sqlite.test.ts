import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { pino } from "pino";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { migrate } from "./migration.ts";
import { openDatabase } from "./open.ts";

const ROUNDS = 10;
const TIMES = 500;

test("a statement with a limit is planned once, not with every value that is bound", async (t) => {
  const path = join(await temporaryFolder(t), "test.db");
  const database = openDatabase({ kind: "sqlite", path }, pino({ level: "silent" }));
  t.after(() => database.close());
  await migrate(database);
  const query = database.db
    .selectFrom("device")
    .select(["id", "name", "address"])
    .where("account_id", "=", "nobody")
    .where("retired_at", "is", null)
    .orderBy("id");
  const [limited, all] = [query.limit(500).compile(), query.compile()];
  const connection = new DatabaseSync(path);
  t.after(() => connection.close());
  const [ours, ceiling] = [connection.prepare(limited.sql), connection.prepare(all.sql)];
  const shortest = (ask: () => void) =>
    Math.min(...Array.from({ length: ROUNDS }, () => time(ask)));
  const oursMs = shortest(() => ours.all("nobody", 500));
  const ceilingMs = shortest(() => ceiling.all("nobody"));
  // Planning each time takes at least five times as long.
  assert.ok(oursMs < 2.5 * ceilingMs, `${oursMs} ms for ${TIMES}, without a limit ${ceilingMs} ms`);
});

function time(ask: () => void): number {
  const since = performance.now();
  for (let count = 0; count < TIMES; count += 1) ask();
  return performance.now() - since;
}
