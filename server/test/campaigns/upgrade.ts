import { account } from "./accounting.ts";
import type { Campaign } from "./campaign.ts";
import { withDefect, type Defect } from "./defect.ts";
import { Findings } from "./findings.ts";
import { judgeRestarts, restart } from "./restart.ts";
import { startSite } from "./site.ts";

/** Returns a change of the server that makes it a later version: it knows one more step, which runs a statement. */
function laterVersion(round: number, statement: string): Defect {
  const name = `${9_000 + round}-later`;
  return {
    what: "a later version",
    file: "database/migration.ts",
    replace: "  tries,\n];",
    by: `  tries,
  { name: "${name}", up: async ({ db }) => void (await sql\`${statement}\`.execute(db)) },
];`,
    breaks: /$^/,
  };
}

/** Three nodes are brought to a later version one after the other, and back to this one. */
export const upgrade: Campaign = {
  name: "upgrade",
  fault: "a rolling upgrade of three nodes to a version that changes the tables, and back",
  rounds: { short: 1, full: 10 },
  defect: {
    ...laterVersion(1, "alter table notification rename column sound to chime"),
    what: "a later version takes away what this one uses",
    breaks: /requests failed/,
  },
  async run(order) {
    const findings = new Findings(order);
    const options = { database: "postgres", nodes: 3, perSecond: 120 } as const;
    const site = await startSite({ ...order, defect: null }, options);
    const { load, nodes } = site;
    load.start();
    for (let round = 1; round <= order.rounds; round += 1) {
      const adds = `alter table notification add column later_${round} text`;
      for (const version of [order.defect ?? laterVersion(round, adds), null]) {
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
