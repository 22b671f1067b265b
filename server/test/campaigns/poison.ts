import { setTimeout as wait } from "node:timers/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { topicOf } from "#providers/webpush/payload.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_PER_CRASH_MAX } from "./fault-limits.ts";
import { Findings } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const PRELOAD = fileURLToPath(new URL("../support/poison.ts", import.meta.url));
const PER_SECOND = 100;
const KILLS = 5;
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
  defect: {
    mistake: "a job that causes crashes is never quarantined",
    file: "delivery/delivery.ts",
    replace: "const QUARANTINE_CRASHES = 3;",
    by: "const QUARANTINE_CRASHES = 3e9;",
    breaks: /ended by themselves: above/,
  },
  async run(run) {
    const findings = new Findings(run);
    const poisonFile = join(await temporaryFolder(run.scope), "poison");
    const environment = { NODE_OPTIONS: `--import=${PRELOAD}`, POISON_FILE: poisonFile };
    const options = { database: "sqlite", nodes: 1, perSecond: PER_SECOND, environment } as const;
    const site = await startSite(run, options);
    const { load, nodes, people, receiver } = site;
    const [node] = nodes;
    const supervised = node.supervise();
    load.start();
    writeFileSync(poisonFile, receiver.subscription("Ben-0").endpoint);
    // The process may crash before it responds.
    await people.ben.client.notifyAsync({ title: "Poison", body: "" }).catch(() => {});
    const everyMs = ((run.size / site.perSecond) * 1_000) / KILLS;
    let hits = 0;
    for (let kills = 1; kills <= KILLS; kills += 1) {
      await wait(everyMs);
      // A start that fails counts as a crash.
      for (let waited = 0; !node.isServing && waited < START_MAX_MS; waited += 10) await wait(10);
      if (await node.kill()) hits += 1;
      run.progress(`${kills} kills, ${supervised.crashes} crashes, ${load.accepted.size} accepted`);
    }
    await wait(everyMs);
    await load.pause();
    findings.runs = 1;
    // Each crash may repeat the requests in progress.
    findings.duplicatesMax = (KILLS + CRASHES_MAX) * DUPLICATES_PER_CRASH_MAX;
    // Only the delivery to the poisoned device fails.
    await verifyDeliveries(site, findings, { failuresExpected: 1 });
    const crashes = supervised.crashes - hits;
    findings.note(`${crashes} processes ended by themselves`);
    findings.expect(
      crashes <= CRASHES_MAX,
      `${crashes} processes ended by themselves: above ${CRASHES_MAX}`,
    );
    recordDelays(site, findings);
    await supervised.end();
    return findings;
  },
};

/** Records the time of each notification from acceptance until its last device had it. */
function recordDelays({ load, receiver }: Site, findings: Findings): void {
  for (const [id, acceptedAt] of load.acceptedAt) {
    findings.time(
      "until all devices have it",
      (receiver.lastAt.get(topicOf(id)) ?? Infinity) - acceptedAt,
    );
  }
  findings.checkTimes("until all devices have it", DELAY_MAX_MS);
}
