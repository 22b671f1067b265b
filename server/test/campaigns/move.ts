// node scripts/setup.mjs run server/test/campaigns/move.ts
// Moves 1,000,000 devices and 100,000 notifications from SQLite to PostgreSQL and back, and says what it took. Fails where
// what comes back differs, or where memory grows with the tables.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "#database/migration.ts";
import { openSqlite } from "#database/database.ts";
import type { DatabasePlace } from "#database/open.ts";
import { moveServer } from "#operator/move-server.ts";
import { startCluster } from "../support/postgres-cluster.ts";

const DEVICES = 1_000_000;
const NOTIFICATIONS = 100_000;
const MEMORY_MAX_MB = 600;
const START = Date.UTC(2026, 0, 1);
const STEP_MS = 20_000;

const folder = await mkdtemp(join(tmpdir(), "tocsin-move-"));
const cluster = await startCluster([]);
try {
  const file = { kind: "sqlite", path: join(folder, "one", "tocsin.db") } as const;
  const copy = { kind: "sqlite", path: join(folder, "two", "tocsin.db") } as const;
  const postgres = { kind: "postgres", url: `${cluster.url}/postgres` } as const;
  await fill(file.path);
  const there = await timed("SQLite to PostgreSQL", file, postgres);
  const back = await timed("PostgreSQL to SQLite", postgres, copy);
  assert.deepEqual(back, there);
  for (const { table, rows, checksum } of there) {
    if (rows > 0) say(`${table.padEnd(16)} ${String(rows).padStart(9)}  ${checksum}`);
  }
} finally {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
}

async function timed(name: string, from: DatabasePlace, to: DatabasePlace) {
  const startedAt = performance.now();
  let copiedAt = startedAt;
  let memory = 0;
  const moved = await moveServer({
    from,
    to,
    isResumed: false,
    now: () => START + NOTIFICATIONS * STEP_MS,
    onProgress({ phase }) {
      if (phase === "copy") copiedAt = performance.now();
      memory = Math.max(memory, process.memoryUsage().rss);
    },
  });
  const [copied, all] = [copiedAt - startedAt, performance.now() - startedAt];
  const megabytes = Math.round(memory / 1_000_000);
  say(`${name}: copied in ${seconds(copied)} s, compared after ${seconds(all)} s, ${megabytes} MB`);
  assert.ok(megabytes < MEMORY_MAX_MB);
  return moved;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

async function fill(path: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  const database = openSqlite(path);
  await migrate(database);
  await database.close();
  const file = new DatabaseSync(path);
  file.exec(`
    pragma synchronous = off;
    begin;
    insert into account (id, name, email, email_verified, is_admin, created_at, updated_at)
      values ('ann', 'Ann', 'ann@example.org', 1, 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
    insert into device (id, account_id, name, platform, provider, address, address_hash, created_at, registered_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${DEVICES})
      select ${id("i")}, 'ann', 'iPhone ' || i, 'ios', 'apns',
        '{"provider":"apns","token":"' || hex(randomblob(32)) || '"}', hex(randomblob(32)), ${START} + i, ${START} + i
      from n;
    insert into notification (id, audience_kind, audience_id, title, body, channel, time_sensitive, created_at, expires_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${NOTIFICATIONS})
      select ${id(`i * ${STEP_MS}`)}, 'account', 'ann', 'Title ' || i, hex(randomblob(100)) || ' \u00e9\u{1F514}',
        'feed', 0, ${START} + i, ${START} + i + 1000
      from n;
    insert into feed_entry select audience_id, id, channel, created_at from notification;
    insert into delivery_page (notification_id, id, created_at, results, counts)
      select id, 'p', created_at, '[["d","apns","accepted","accepted",null,1,1]]', '{"accepted":1}' from notification;
    commit`);
  file.close();
}

/** SQL of an id that was made so many milliseconds after the start. */
function id(after: string): string {
  const hex = `printf('%012x', ${START} + ${after})`;
  return `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-7000-8000-' || lower(hex(randomblob(6)))`;
}
