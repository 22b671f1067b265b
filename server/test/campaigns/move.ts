import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "#database/migration.ts";
import { openSqlite } from "#database/database.ts";
import type { MovedContents } from "#database/move/move.ts";
import { startCluster } from "../support/postgres-cluster.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Campaign, Order } from "./campaign.ts";
import { runCommand } from "./command.ts";
import { Findings } from "./findings.ts";

/** It holds a batch, however large the tables are. */
const MEMORY_MAX_MB = 450;
const NOTIFIED_EVERY = 10;
const START = Date.UTC(2026, 0, 1);
const STEP_MS = 20_000;

/** Everything of a server goes to the other database and back, and is the same. */
export const move: Campaign = {
  name: "move",
  fault: "1,000,000 devices and 100,000 notifications moved from SQLite to PostgreSQL, and back",
  rounds: { short: 1, full: 1 },
  size: { short: 3_000, full: 1_000_000 },
  defect: {
    mistake: "of every batch the first row stays behind",
    file: "database/move/move.ts",
    replace: "await writeRows(to, table, batch);",
    by: "await writeRows(to, table, batch.slice(batch.length > 1 ? 1 : 0));",
    breaks: /differs/,
  },
  async run(order) {
    const findings = new Findings(order);
    const folder = await temporaryFolder(order.scope);
    const cluster = await startCluster([]);
    order.scope.after(() => cluster.stop());
    const [first, last] = ["one", "two"].map((name) => join(folder, name, "tocsin.db"));
    await fill(first ?? "", order.size);
    const postgres = `${cluster.url}/postgres`;
    const there = await timed(order, { from: `sqlite:${first}`, to: postgres, findings });
    const back = await timed(order, { from: postgres, to: `sqlite:${last}`, findings });
    const isSame = JSON.stringify(contents(back)) === JSON.stringify(contents(there));
    findings.expect(isSame, "what comes back is not what went");
    // The first move is told of where it led, and came back with all else.
    const told = [there, back].map((moved) => rowsIn(moved, TOLD));
    findings.expect(
      told[1] === (told[0] ?? 0) + 1,
      `${told.join(" and ")} events of the audit log`,
    );
    const rowsOf = (name: string) => rowsIn(back, name);
    findings.accepted = rowsOf("notification");
    findings.deliveries = rowsOf("delivery_page");
    const sent = order.size / NOTIFIED_EVERY;
    const arrived = rowsOf("device") + findings.accepted + findings.deliveries;
    findings.lost = order.size + 2 * sent - arrived;
    findings.expect(findings.lost === 0, `${findings.lost} rows did not come back`);
    findings.runs = 1;
    return findings;
  },
};

/** Where a move is told of, once it is done. */
const TOLD = "audit_event";

function contents(moved: readonly MovedContents[]): readonly MovedContents[] {
  return moved.filter(({ table }) => table !== TOLD);
}

function rowsIn(moved: readonly MovedContents[], name: string): number {
  return moved.find(({ table }) => table === name)?.rows ?? 0;
}

interface Way {
  readonly from: string;
  readonly to: string;
  readonly findings: Findings;
}

async function timed(
  { defect, say }: Order,
  { from, to, findings }: Way,
): Promise<readonly MovedContents[]> {
  const way = from.startsWith("sqlite") ? "SQLite to PostgreSQL" : "PostgreSQL to SQLite";
  say(way);
  const since = performance.now();
  try {
    const args = ["move", "--from", from, "--to", to, "--json"];
    const { output, memoryMb } = await runCommand(args, { defect });
    const seconds = ((performance.now() - since) / 1_000).toFixed(0);
    findings.note(`${way}: ${seconds} s, ${memoryMb} MB`);
    findings.expect(memoryMb <= MEMORY_MAX_MB, `${way}: ${memoryMb} MB of memory`);
    // As its help says.
    const end = JSON.parse(output.trim().split("\n").at(-1) ?? "") as { tables: MovedContents[] };
    return end.tables;
  } catch (error) {
    findings.expect(false, `${way}: ${String(error)}`);
    return [];
  }
}

/** Makes a file with so many devices, and a tenth as many notifications. */
async function fill(path: string, devices: number): Promise<void> {
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
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${devices})
      select ${id("i")}, 'ann', 'iPhone ' || i, 'ios', 'apns',
        '{"provider":"apns","token":"' || hex(randomblob(32)) || '"}', hex(randomblob(32)), ${START} + i, ${START} + i
      from n;
    insert into notification (id, audience_kind, audience_id, title, body, channel, time_sensitive, created_at, expires_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${devices / NOTIFIED_EVERY})
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
