import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { ROOT } from "../../../scripts/files.ts";
import { startPostgres, WITHOUT_DURABILITY } from "../support/postgres-cluster.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import { toProcessOptions, type Defect } from "./defect.ts";
import { Findings } from "./findings.ts";
import { INCIDENT_DEFECTS } from "./incident-defects.ts";
import { PROMPT_DEFECTS } from "./prompt-defects.ts";

/** The test files for the laws of incidents and prompts, by the names of the laws. */
const FILES: Readonly<Record<string, string>> = {
  E1: "server/src/incidents/sequences.test.ts",
  "E3 E4": "server/src/incidents/acknowledge-laws.test.ts",
  "E5 E6 E8": "server/src/incidents/ringing-laws.test.ts",
  E7: "server/src/incidents/clock-laws.test.ts",
  E9: "server/src/incidents/trigger-laws.test.ts",
  E10: "server/test/app-api/act-links.test.ts",
  C1: "server/test/clients/recorded-clients.test.ts",
  W1: "server/src/prompts/answer-laws.test.ts",
  W2: "cli/src/commands/ask-laws.test.ts",
};

/** The laws whose tests must pass in a run without a defect. */
const LAWS: readonly string[] = Object.keys(FILES).flatMap((laws) => laws.split(" "));

/** Returns the paths of all test files; for a defect, only the file of the law that it breaks. */
function listFiles(defect: Defect | null): readonly string[] {
  const isNeeded = (laws: string) =>
    defect === null || laws.split(" ").some((law) => defect.breaks.test(law));
  return Object.entries(FILES).flatMap(([laws, name]) =>
    isNeeded(laws) ? [join(ROOT, name)] : [],
  );
}

/** A sequence takes this many times as long on PostgreSQL, mostly to delete the rows of the previous sequence. */
const POSTGRES_DIVISOR = 10;

/** Tests the laws of incidents and prompts on SQLite. With several rounds, tests them on PostgreSQL too. */
export const incidentLaws: Campaign = {
  name: "incident-laws",
  fault:
    "processes change the same incidents at once, and die before, during and after their commits",
  rounds: { short: 1, full: 2 },
  size: { short: 60, full: 10_000 },
  defects: [...INCIDENT_DEFECTS, ...PROMPT_DEFECTS],
  async run(run) {
    const findings = new Findings(run);
    await runLaws(run, { findings, environment: {} });
    if (run.rounds > 1) {
      const cluster = await startPostgres(WITHOUT_DURABILITY);
      run.scope.after(() => cluster.stop());
      const environment = { TOCSIN_TEST_DATABASE_URL: cluster.url };
      const size = Math.ceil(run.size / POSTGRES_DIVISOR);
      await runLaws({ ...run, size }, { findings, environment });
    }
    return findings;
  },
};

interface LawRun {
  readonly findings: Findings;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs the test files in a child process, and adds their failures and figures to the findings. */
async function runLaws(
  { size, defect, isShort }: RunOptions,
  { findings, environment }: LawRun,
): Promise<void> {
  const { flags, environment: defectEnvironment } = toProcessOptions(defect);
  const args = [...flags, "--test", "--test-concurrency=1", "--test-reporter=tap"];
  const child = spawn(process.execPath, [...args, ...listFiles(defect)], {
    env: {
      PATH: process.env["PATH"],
      NODE_OPTIONS: process.env["NODE_OPTIONS"],
      TOCSIN_TEST_SEQUENCES: String(size),
      ...(isShort || defect !== null ? {} : { TOCSIN_TEST_LONG_LAWS: "1" }),
      ...environment,
      ...defectEnvironment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const failedTests = [...output.matchAll(/^ *not ok \d+ - (?<name>.*)$/gmu)];
  for (const { groups } of failedTests) findings.expect(false, groups?.["name"] ?? "");
  // A child process may also die before it reports a failure.
  findings.expect(
    child.exitCode === 0 || failedTests.length > 0,
    "the laws did not run to their end",
  );
  const counts = [...output.matchAll(/(?<triggers>\d+) triggers, (?<pushes>\d+) deliveries/gu)];
  for (const law of defect === null ? LAWS : [])
    findings.expect(new RegExp(`^ *ok \\d+ - ${law}:`, "mu").test(output), `${law} was not shown`);
  for (const { groups } of counts) {
    findings.acceptedCount += Number(groups?.["triggers"]);
    findings.deliveryCount += Number(groups?.["pushes"]);
  }
  findings.runCount += 1;
}
