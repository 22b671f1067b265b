import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { pino } from "pino";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { migrate } from "./migration.ts";
import { openDatabase } from "./open.ts";

const ROUND_COUNT = 10;
const RUNS_PER_ROUND = 500;
const LIMIT = 500;

test("a statement with a limit is planned once, not for every bound value", async (t) => {
  const path = join(await createTemporaryFolder(t), "test.db");
  const database = openDatabase({ kind: "sqlite", path }, pino({ level: "silent" }));
  t.after(() => database.close());
  await migrate(database);
  const query = database.db
    .selectFrom("device")
    .select(["id", "name", "address"])
    .where("account_id", "=", "nobody")
    .where("retired_at", "is", null)
    .orderBy("id");
  const connection = new DatabaseSync(path);
  t.after(() => connection.close());
  const limitedStatement = connection.prepare(query.limit(LIMIT).compile().sql);
  const unlimitedStatement = connection.prepare(query.compile().sql);
  const measureShortestMs = (run: () => void) =>
    Math.min(...Array.from({ length: ROUND_COUNT }, () => measureMs(run)));
  const limitedMs = measureShortestMs(() => limitedStatement.all("nobody", LIMIT));
  const unlimitedMs = measureShortestMs(() => unlimitedStatement.all("nobody"));
  // Planning on each run takes at least five times as long.
  assert.ok(
    limitedMs < 2.5 * unlimitedMs,
    `${limitedMs} ms for ${RUNS_PER_ROUND}, without a limit ${unlimitedMs} ms`,
  );
});

function measureMs(run: () => void): number {
  const startedAt = performance.now();
  for (let count = 0; count < RUNS_PER_ROUND; count += 1) run();
  return performance.now() - startedAt;
}
