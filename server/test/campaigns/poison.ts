import { setTimeout as wait } from "node:timers/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toTopic } from "#providers/webpush/payload.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./duplicate-limits.ts";
import { Findings } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const PRELOAD = fileURLToPath(new URL("../support/poison-preload.ts", import.meta.url));
const PER_SECOND = 100;
const KILL_COUNT = 5;
/** Three crashes quarantine a job, the fourth identifies the device, and the fifth ends its delivery. */
const CRASHES_MAX = 5;
const DELAY_MAX_MS = 30_000;
const START_MAX_MS = 10_000;

/** Sends one message that crashes every process that tries to deliver it, among harmless messages and unrelated kills. */
export const poison: Campaign = {
  name: "poison",
  fault: "a message that crashes the process that sends it, and five unrelated kills",
  rounds: { short: 1, full: 1 },
  size: { short: 1_000, full: 10_000 },
  defects: [
    {
      mistake: "a job that causes crashes is never quarantined",
      file: "delivery/delivery.ts",
      replace: "const QUARANTINE_CRASHES = 3;",
      by: "const QUARANTINE_CRASHES = 3e9;",
      breaks: /ended by themselves: above/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const poisonFile = join(await createTemporaryFolder(run.scope), "poison");
    const environment = { NODE_OPTIONS: `--import=${PRELOAD}`, POISON_FILE: poisonFile };
    const options = { database: "sqlite", nodes: 1, perSecond: PER_SECOND, environment } as const;
    const site = await startSite(run, options);
    const { load, nodes, people, pushService } = site;
    const [node] = nodes;
    const supervision = node.supervise();
    load.start();
    writeFileSync(poisonFile, pushService.createSubscription("Ben-0").endpoint);
    // The process may crash before it responds.
    await people.ben.client.notifyAsync({ title: "Poison", body: "" }).catch(() => {});
    const killIntervalMs = ((run.size / site.perSecond) * 1_000) / KILL_COUNT;
    let effectiveKills = 0;
    for (let killCount = 1; killCount <= KILL_COUNT; killCount += 1) {
      await wait(killIntervalMs);
      // A process that fails to start counts as crashed.
      for (let waitedMs = 0; !node.isServing && waitedMs < START_MAX_MS; waitedMs += 10)
        await wait(10);
      if (await node.kill()) effectiveKills += 1;
      run.reportProgress(
        `${killCount} kills, ${supervision.endCount} ended processes, ${load.acceptedTitles.size} accepted`,
      );
    }
    await wait(killIntervalMs);
    await load.pause();
    findings.runCount = 1;
    // Each crash may repeat the requests in progress.
    findings.duplicatesMax = (KILL_COUNT + CRASHES_MAX) * DUPLICATES_PER_CRASH_MAX;
    // Only the delivery to the poisoned device fails.
    await verifyDeliveries(site, findings, { failuresExpected: 1 });
    const crashes = supervision.endCount - effectiveKills;
    findings.addNote(`${crashes} processes ended by themselves`);
    findings.expect(
      crashes <= CRASHES_MAX,
      `${crashes} processes ended by themselves: above ${CRASHES_MAX}`,
    );
    recordDelays(site, findings);
    await supervision.end();
    return findings;
  },
};

/** Records how long each notification took from acceptance until it reached its last device. */
function recordDelays({ load, pushService }: Site, findings: Findings): void {
  for (const [id, acceptedAt] of load.acceptedAtById) {
    findings.recordDuration(
      "until all devices have it",
      (pushService.lastMessageAtByTopic.get(toTopic(id)) ?? Infinity) - acceptedAt,
    );
  }
  findings.checkDurations("until all devices have it", DELAY_MAX_MS);
}
