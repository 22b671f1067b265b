import { setTimeout as wait } from "node:timers/promises";
import { join } from "node:path";
import { newMasterKeyText } from "#secrets/master-key.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { account, accountCopy, untilQuiet } from "./accounting.ts";
import { openBooks } from "./books.ts";
import type { Campaign, Order } from "./campaign.ts";
import { runCommand } from "./command.ts";
import { somewhereBetween } from "./faults.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

const BACKUP_MAX_MS = 10_000;
const RESTORED_MAX_MS = 60_000;

/** Backups are made while everything is written to, and a server goes on from the last of them. */
export const backup: Campaign = {
  name: "backup",
  fault: "a backup while the server on SQLite is written to, and a start from the last one",
  rounds: { short: 1, full: 20 },
  defect: {
    mistake: "the file is copied without its log",
    file: "database/copy-sqlite.ts",
    replace: `    source.prepare("vacuum into ?").run(copy);`,
    by: `    process.getBuiltinModule("node:fs").copyFileSync(path, copy);`,
    breaks: /are not in the backup/,
  },
  async run(order) {
    const findings = new Findings(order);
    const folder = await temporaryFolder(order.scope);
    // Set, as what a server makes for itself is in no backup.
    const environment = { TOCSIN_MASTER_KEY: newMasterKeyText() };
    const options = { database: "sqlite", nodes: 1, perSecond: 200, folder, environment } as const;
    const site = await startSite(order, options);
    const { load } = site;
    load.start();
    let copy = "";
    for (let round = 1; round <= order.rounds; round += 1) {
      await wait(somewhereBetween(500, 2_000));
      copy = join(await temporaryFolder(order.scope), "copy");
      const before = [...load.accepted.keys()];
      await makeBackup(order, { from: folder, to: copy, findings });
      const books = await openBooks({ kind: "sqlite", path: join(copy, "tocsin.db") });
      await accountCopy(books, { before, findings });
      await books.close();
      findings.runs = round;
      order.say(`made ${round} backups, ${load.accepted.size} accepted`);
    }
    await account(site, findings);
    findings.judgeTimes("backup", BACKUP_MAX_MS);
    const restored = await site.startOn(copy);
    const books = await openBooks({ kind: "sqlite", path: join(copy, "tocsin.db") });
    const isDone = await untilQuiet(books, RESTORED_MAX_MS);
    findings.expect(isDone, "a server on the backup does not end what that owes");
    await accountCopy(books, { before: [], findings });
    await books.close();
    await restored.kill();
    return findings;
  },
};

async function makeBackup(
  { defect }: Order,
  { from, to, findings }: { from: string; to: string; findings: Findings },
): Promise<void> {
  const since = performance.now();
  try {
    await runCommand(["backup", to], { defect, environment: { TOCSIN_DATA_DIR: from } });
  } catch (error) {
    findings.expect(false, String(error));
  }
  findings.time("backup", performance.now() - since);
}
