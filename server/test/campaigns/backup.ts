import { setTimeout as wait } from "node:timers/promises";
import { join } from "node:path";
import { generateMasterKeyText } from "#secrets/master-key.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { verifyDeliveries, verifyBackup, waitUntilIdle } from "./verify-deliveries.ts";
import { openDatabaseReader } from "./database-reader.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import { runCommand } from "./command.ts";
import { randomBetween } from "./random-between.ts";
import { Findings } from "./findings.ts";
import { startSite } from "./site.ts";

const BACKUP_MAX_MS = 10_000;
const RESTORE_MAX_MS = 60_000;

/** Takes backups under load and in pauses of the load, and starts a server from the last one. */
export const backup: Campaign = {
  name: "backup",
  fault: "backups while a server writes to SQLite, and a server that starts from the last backup",
  rounds: { short: 2, full: 20 },
  defects: [
    {
      mistake: "the file is copied without its write-ahead log",
      file: "database/copy-sqlite.ts",
      replace: `    source.prepare("vacuum into ?").run(copyPath);`,
      by: `    process.getBuiltinModule("node:fs").copyFileSync(sourcePath, copyPath);`,
      breaks: /are not in the backup/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const folder = await createTemporaryFolder(run.scope);
    // Set explicitly: a generated master key is not part of a backup.
    const environment = { TOCSIN_MASTER_KEY: generateMasterKeyText() };
    const options = { database: "sqlite", nodes: 1, perSecond: 200, folder, environment } as const;
    const site = await startSite(run, options);
    const { load } = site;
    load.start();
    let copyFolder = "";
    for (let round = 1; round <= run.rounds; round += 1) {
      await wait(randomBetween(500, 2_000));
      copyFolder = join(await createTemporaryFolder(run.scope), "copy");
      // Under load, a checkpoint may empty the write-ahead log while the command starts, so every second backup is in a
      // pause.
      const isQuiet = round % 2 === 0;
      if (isQuiet) await load.pause();
      const acceptedBefore = [...load.acceptedTitles.keys()];
      await makeBackup(run, { from: folder, to: copyFolder, findings });
      const reader = await openDatabaseReader({
        kind: "sqlite",
        path: join(copyFolder, "tocsin.db"),
      });
      await verifyBackup(reader, { acceptedBefore, findings });
      await reader.close();
      if (isQuiet) load.start();
      findings.runCount = round;
      run.reportProgress(`${round} backups, ${load.acceptedTitles.size} accepted`);
    }
    await verifyDeliveries(site, findings);
    findings.checkDurations("backup", BACKUP_MAX_MS);
    const restored = await site.startNodeOn(copyFolder);
    const reader = await openDatabaseReader({
      kind: "sqlite",
      path: join(copyFolder, "tocsin.db"),
    });
    const isDone = await waitUntilIdle(reader, RESTORE_MAX_MS);
    findings.expect(isDone, "a server on the backup does not finish its pending jobs");
    await verifyBackup(reader, { acceptedBefore: [], findings });
    await reader.close();
    await restored.kill();
    return findings;
  },
};

async function makeBackup(
  { defect }: RunOptions,
  { from, to, findings }: { from: string; to: string; findings: Findings },
): Promise<void> {
  const startedAt = performance.now();
  try {
    await runCommand(["backup", to], { defect, environment: { TOCSIN_DATA_DIR: from } });
  } catch (error) {
    findings.expect(false, String(error));
  }
  findings.recordDuration("backup", performance.now() - startedAt);
}
