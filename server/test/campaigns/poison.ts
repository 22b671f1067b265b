import { setTimeout as wait } from "node:timers/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { topicOf } from "#providers/webpush/payload.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { DUPLICATES_OF_DEATH } from "./faults.ts";
import { Findings } from "./findings.ts";
import { startSite, type Site } from "./site.ts";

const PRELOAD = fileURLToPath(new URL("../support/poison.ts", import.meta.url));
const PER_SECOND = 100;
const KILLS = 5;
/** Three deaths put a job into quarantine, the fourth names the device, and the fifth ends its delivery. */
const DEATHS_MAX = 5;
const DELAY_MAX_MS = 30_000;
const START_MAX_MS = 10_000;

/** One message ends every process that tries to send it, among many that do not, and among kills that are not its fault. */
export const poison: Campaign = {
  name: "poison",
  fault: "a message that ends the process which sends it, and five kills beside",
  rounds: { short: 1, full: 1 },
  size: { short: 1_000, full: 10_000 },
  defect: {
    mistake: "the deaths that a job causes never put it into quarantine",
    file: "delivery/delivery.ts",
    replace: "const QUARANTINE_CRASHES = 3;",
    by: "const QUARANTINE_CRASHES = 3e9;",
    breaks: /ended by itself/,
  },
  async run(order) {
    const findings = new Findings(order);
    const poisonFile = join(await temporaryFolder(order.scope), "poison");
    const environment = { NODE_OPTIONS: `--import=${PRELOAD}`, POISON_FILE: poisonFile };
    const options = { database: "sqlite", nodes: 1, perSecond: PER_SECOND, environment } as const;
    const site = await startSite(order, options);
    const { load, nodes, people, receiver } = site;
    const [node] = nodes;
    const supervised = node.supervise();
    load.start();
    writeFileSync(poisonFile, receiver.subscription("Ben-0").endpoint);
    // Without an answer where the process ends before it is given.
    await people.ben.client.notifyAsync({ title: "Poison", body: "" }).catch(() => {});
    const everyMs = ((order.size / site.perSecond) * 1_000) / KILLS;
    let hits = 0;
    for (let kills = 1; kills <= KILLS; kills += 1) {
      await wait(everyMs);
      // A start that comes to nothing is seen in the count of deaths.
      for (let waited = 0; !node.isServing && waited < START_MAX_MS; waited += 10) await wait(10);
      if (await node.kill()) hits += 1;
      order.say(`${kills} kills, ${supervised.deaths} deaths, ${load.accepted.size} accepted`);
    }
    await wait(everyMs);
    await load.pause();
    findings.runs = 1;
    // Every death may repeat what was under way, and the last of them are still to come.
    findings.duplicatesMax = (KILLS + DEATHS_MAX) * DUPLICATES_OF_DEATH;
    // All but the device that is poison.
    await account(site, findings, { otherwise: 1 });
    const deaths = supervised.deaths - hits;
    findings.note(`${deaths} processes ended by themselves`);
    findings.expect(
      deaths <= DEATHS_MAX,
      `${deaths} processes ended by itself: above ${DEATHS_MAX}`,
    );
    noteDelays(site, findings);
    await supervised.end();
    return findings;
  },
};

/** How long each notification took from its acceptance until the last of its devices had it. */
function noteDelays({ load, receiver }: Site, findings: Findings): void {
  for (const [id, at] of load.acceptedAt) {
    findings.time("until all devices have it", (receiver.lastAt.get(topicOf(id)) ?? Infinity) - at);
  }
  findings.judgeTimes("until all devices have it", DELAY_MAX_MS);
}
