import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { withDefect, type Defect } from "./defect.ts";
import { Findings } from "./findings.ts";
import { judgeRestarts, restart } from "./restart.ts";
import { startSite } from "./site.ts";

const FIRST_STEP = 9_001;

/** Returns a change of the server that makes it a later version: it knows more steps, each of which runs a statement. */
function laterVersion(statements: readonly string[]): Defect {
  const steps = statements.map((statement, index) => {
    const up = `async ({ db }) => void (await sql\`${statement}\`.execute(db))`;
    return `  { name: "${FIRST_STEP + index}-later", up: ${up} },`;
  });
  return {
    mistake: "a later version",
    file: "database/migration.ts",
    // The end of the list of all steps.
    replace: "\n];\n",
    by: ["", ...steps, "];", ""].join("\n"),
    breaks: /$^/,
  };
}

/** Three nodes are brought to a later version one after the other, and back to this one. */
export const upgrade: Campaign = {
  name: "upgrade",
  fault: "a rolling upgrade of three nodes to a version that changes the tables, and back",
  rounds: { short: 1, full: 10 },
  defect: {
    ...laterVersion(["alter table notification rename column sound to chime"]),
    mistake: "a later version takes away what this one uses",
    breaks: /requests failed/,
  },
  async run(order) {
    const findings = new Findings(order);
    const options = { database: "postgres", nodes: 3, perSecond: 120 } as const;
    const site = await startSite({ ...order, defect: null }, options);
    const { load, nodes } = site;
    load.start();
    const steps: string[] = [];
    for (let round = 1; round <= order.rounds; round += 1) {
      steps.push(`alter table notification add column later_${round} text`);
      for (const version of [order.defect ?? laterVersion(steps), null]) {
        for (const node of nodes) {
          node.runAs(withDefect(version));
          await restart(node, findings);
        }
      }
      findings.runs = round;
      order.say(`there and back ${round} times, ${load.accepted.size} accepted`);
    }
    findings.duplicatesMax = 0;
    await account(site, findings);
    judgeRestarts(load, findings);
    return findings;
  },
};
