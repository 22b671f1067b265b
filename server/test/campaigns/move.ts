import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "#database/migration.ts";
import { openSqlite } from "#database/database.ts";
import type { MovedContents } from "#database/move/move.ts";
import { startPostgres } from "../support/postgres-cluster.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import { runCommand } from "./command.ts";
import { Findings } from "./findings.ts";

/** A move holds one batch in memory, whatever the size of the tables. */
const MEMORY_MAX_MB = 450;
const DEVICES_PER_NOTIFICATION = 10;
const START_AT = Date.UTC(2026, 0, 1);
const NOTIFICATION_INTERVAL_MS = 20_000;

/** Moves all data of a server to the other database and back, and compares the data after both moves. */
export const move: Campaign = {
  name: "move",
  fault: "1,000,000 devices and 100,000 notifications moved from SQLite to PostgreSQL, and back",
  rounds: { short: 1, full: 1 },
  size: { short: 3_000, full: 1_000_000 },
  defects: [
    {
      mistake: "the first row of every batch is not moved",
      file: "database/move/move.ts",
      replace: "await writeRows(to, table, batch);",
      by: "await writeRows(to, table, batch.slice(batch.length > 1 ? 1 : 0));",
      breaks: /differs/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const folder = await createTemporaryFolder(run.scope);
    const cluster = await startPostgres([]);
    run.scope.after(() => cluster.stop());
    const [firstPath, lastPath] = ["one", "two"].map((name) => join(folder, name, "tocsin.db"));
    await createDatabase(firstPath ?? "", run.size);
    const postgres = `${cluster.url}/postgres`;
    const moved = await moveAndMeasure(run, {
      from: `sqlite:${firstPath}`,
      to: postgres,
      findings,
    });
    const movedBack = await moveAndMeasure(run, {
      from: postgres,
      to: `sqlite:${lastPath}`,
      findings,
    });
    const isUnchanged =
      JSON.stringify(removeAuditEvents(movedBack)) === JSON.stringify(removeAuditEvents(moved));
    findings.expect(isUnchanged, "the data differs after the move back");
    // The first move added an audit event at its target, which the second moved back.
    const firstAuditCount = findRowCount(moved, AUDIT_TABLE);
    const secondAuditCount = findRowCount(movedBack, AUDIT_TABLE);
    findings.expect(
      secondAuditCount === firstAuditCount + 1,
      `the first move moved ${firstAuditCount} audit events, and the second ${secondAuditCount}`,
    );
    const countRows = (name: string) => findRowCount(movedBack, name);
    findings.acceptedCount = countRows("notification");
    findings.deliveryCount = countRows("delivery_page");
    const notificationCount = run.size / DEVICES_PER_NOTIFICATION;
    const movedBackRowCount = countRows("device") + findings.acceptedCount + findings.deliveryCount;
    findings.lostCount = run.size + 2 * notificationCount - movedBackRowCount;
    findings.expect(findings.lostCount === 0, `${findings.lostCount} rows did not come back`);
    findings.runCount = 1;
    return findings;
  },
};

/** Each finished move adds an event to this table. */
const AUDIT_TABLE = "audit_event";

function removeAuditEvents(moved: readonly MovedContents[]): readonly MovedContents[] {
  return moved.filter(({ table }) => table !== AUDIT_TABLE);
}

function findRowCount(moved: readonly MovedContents[], name: string): number {
  return moved.find(({ table }) => table === name)?.rows ?? 0;
}

interface MoveToMeasure {
  readonly from: string;
  readonly to: string;
  readonly findings: Findings;
}

async function moveAndMeasure(
  { defect, reportProgress }: RunOptions,
  { from, to, findings }: MoveToMeasure,
): Promise<readonly MovedContents[]> {
  const direction = from.startsWith("sqlite") ? "SQLite to PostgreSQL" : "PostgreSQL to SQLite";
  reportProgress(direction);
  const startedAt = performance.now();
  try {
    const args = ["move", "--from", from, "--to", to, "--json"];
    const { output, peakMemoryMb } = await runCommand(args, { defect });
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    findings.addNote(`${direction}: ${seconds} s, ${peakMemoryMb} MB`);
    findings.expect(peakMemoryMb <= MEMORY_MAX_MB, `${direction}: ${peakMemoryMb} MB of memory`);
    // The command's help documents this output.
    const result = JSON.parse(output.trim().split("\n").at(-1) ?? "") as {
      tables: MovedContents[];
    };
    return result.tables;
  } catch (error) {
    findings.expect(false, `${direction}: ${String(error)}`);
    return [];
  }
}

/** Creates a database file with this many devices, and a tenth as many notifications. */
async function createDatabase(path: string, deviceCount: number): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  const database = openSqlite(path);
  await migrate(database);
  await database.close();
  const sqlite = new DatabaseSync(path);
  sqlite.exec(`
    pragma synchronous = off;
    begin;
    insert into account (id, name, email, email_verified, is_admin, created_at, updated_at)
      values ('ann', 'Ann', 'ann@example.org', 1, 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
    insert into device (id, account_id, name, platform, provider, address, address_hash, created_at, registered_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${deviceCount})
      select ${createUuidSql("i")}, 'ann', 'iPhone ' || i, 'ios', 'apns',
        '{"provider":"apns","token":"' || hex(randomblob(32)) || '"}', hex(randomblob(32)), ${START_AT} + i, ${START_AT} + i
      from n;
    insert into notification (id, audience_kind, audience_id, title, body, channel, time_sensitive, created_at, expires_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${deviceCount / DEVICES_PER_NOTIFICATION})
      select ${createUuidSql(`i * ${NOTIFICATION_INTERVAL_MS}`)}, 'account', 'ann', 'Title ' || i, hex(randomblob(100)) || ' \u00e9\u{1F514}',
        'feed', 0, ${START_AT} + i, ${START_AT} + i + 1000
      from n;
    insert into feed_entry select audience_id, id, channel, created_at from notification;
    insert into delivery_page (notification_id, id, created_at, results, counts)
      select id, 'p', created_at, '[["d","apns","accepted","accepted",null,1,1]]', '{"accepted":1}' from notification;
    commit`);
  sqlite.close();
}

/** Returns an SQL expression for a UUID whose time is `START_AT` plus the SQL expression `afterMsSql`, in milliseconds. */
function createUuidSql(afterMsSql: string): string {
  const hex = `printf('%012x', ${START_AT} + ${afterMsSql})`;
  return `substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-7000-8000-' || lower(hex(randomblob(6)))`;
}
