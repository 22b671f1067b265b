import { verifyDeliveries } from "./verify-deliveries.ts";
import type { Campaign } from "./campaign.ts";
import { toProcessOptions, type Defect } from "./defect.ts";
import { Findings } from "./findings.ts";
import { checkRestarts, restartNode } from "./restart.ts";
import { startSite } from "./site.ts";

const FIRST_MIGRATION_NUMBER = 9_001;

/** Returns a change that turns the server into a later version with more migrations, one per statement. */
function createLaterVersion(statements: readonly string[]): Defect {
  const migrations = statements.map((statement, index) => {
    const upFunction = `async ({ db }) => void (await sql\`${statement}\`.execute(db))`;
    return `  { name: "${FIRST_MIGRATION_NUMBER + index}-later", up: ${upFunction} },`;
  });
  return {
    mistake: "a later version",
    file: "database/migration.ts",
    // This text ends the list of migrations.
    replace: "\n];\n",
    by: ["", ...migrations, "];", ""].join("\n"),
    // Matches nothing, as a later version breaks no promise.
    breaks: /$^/,
  };
}

/** Upgrades three nodes to a later version one after another, and back. */
export const upgrade: Campaign = {
  name: "upgrade",
  fault: "a rolling upgrade of three nodes to a version that changes the tables, and back",
  rounds: { short: 1, full: 10 },
  defects: [
    {
      ...createLaterVersion(["alter table notification rename column sound to chime"]),
      mistake: "a later version removes a column that this one uses",
      breaks: /requests failed/,
    },
  ],
  async run(run) {
    const findings = new Findings(run);
    const options = { database: "postgres", nodes: 3, perSecond: 120 } as const;
    const site = await startSite({ ...run, defect: null }, options);
    const { load, nodes } = site;
    load.start();
    const statements: string[] = [];
    for (let round = 1; round <= run.rounds; round += 1) {
      statements.push(`alter table notification add column later_${round} text`);
      for (const version of [run.defect ?? createLaterVersion(statements), null]) {
        for (const node of nodes) {
          node.setVersion(toProcessOptions(version));
          await restartNode(node, findings);
        }
      }
      findings.runCount = round;
      run.reportProgress(`upgraded and back ${round} times, ${load.acceptedTitles.size} accepted`);
    }
    findings.duplicatesMax = 0;
    await verifyDeliveries(site, findings);
    checkRestarts(load, findings);
    return findings;
  },
};
