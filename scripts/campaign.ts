// npm run campaign                         lists the campaigns
// npm run campaign -- NAME                 runs one, for as many rounds as docs/promises.md states
// npm run campaign -- NAME --rounds=N      runs N rounds
// npm run campaign -- NAME --size=N        runs with N jobs or devices, if the campaign has a size
// npm run campaign -- NAME --short         runs the short form of continuous integration
// npm run campaign -- NAME --broken        runs once with each defect that must turn the campaign red
// npm run campaign -- NAME --write         also writes its row in docs/promises.md, after a full run in which every promise was kept
// npm run campaign -- NAME --json          prints the result as JSON
//
// Exits with 0 if every promise was kept; with --broken, if every defect was noticed.
import { CAMPAIGNS } from "../server/test/campaigns/campaigns.ts";
import type { Campaign, Extent, RunOptions } from "../server/test/campaigns/campaign.ts";
import type { Defect } from "../server/test/campaigns/defect.ts";
import { runCampaign, isDefectFound } from "../server/test/campaigns/run-campaign.ts";
import type { Findings } from "../server/test/campaigns/findings.ts";
import { findUnknownFlag, parseCountFlag } from "./flags.ts";
import { writeCampaignRow } from "./campaign-table.ts";

const [name, ...flags] = process.argv.slice(2);
const IS_SHORT = flags.includes("--short");
const KNOWN_FLAGS = ["rounds", "size", "short", "broken", "write", "json"];
const PROGRESS_INTERVAL_MS = 1_000;
let shownAt = Number.NEGATIVE_INFINITY;
const campaign = CAMPAIGNS.find((candidate) => candidate.name === name);
const unknownFlag = findUnknownFlag(process.argv.slice(2), KNOWN_FLAGS);
if (unknownFlag !== undefined)
  fail(
    `There is no flag ${unknownFlag}. The flags are ${KNOWN_FLAGS.map((flag) => `--${flag}`).join(", ")}.`,
  );
else if (name === undefined) listCampaigns();
else if (campaign === undefined)
  fail(`There is no campaign "${name}". npm run campaign lists them.`);
else await run(campaign);

/** The rounds and the size of one run. */
type RunExtent = Pick<RunOptions, "rounds" | "size">;

async function run(chosen: Campaign): Promise<void> {
  const obstacle = chosen.findObstacle?.() ?? null;
  const rounds = parseCountFlag("rounds", { args: flags, fallback: getExtent(chosen.rounds) });
  const size = parseCountFlag("size", { args: flags, fallback: getExtent(chosen.size) });
  if (obstacle !== null) fail(`${chosen.name} cannot run here: ${obstacle}`);
  else if (rounds === null || size === null) fail("--rounds and --size take a number above 0.");
  else await runAndReport(chosen, { rounds, size });
}

async function runAndReport(chosen: Campaign, extent: RunExtent): Promise<void> {
  if (flags.includes("--broken")) {
    for (const defect of chosen.defects) await runBroken(chosen, { ...extent, defect });
    return;
  }
  const findings = await runAndPrint(chosen, { ...extent, defect: null });
  const isKept = findings.violations.length === 0;
  // The table contains only full runs in which every promise was kept.
  if (flags.includes("--write") && isKept && !IS_SHORT) {
    writeCampaignRow(CAMPAIGNS, { campaign: chosen, findings });
  }
  if (!isKept) process.exitCode = 1;
}

async function runBroken(
  chosen: Campaign,
  { defect, ...extent }: RunExtent & { readonly defect: Defect },
): Promise<void> {
  console.error(`Broken on purpose: ${defect.mistake}.`);
  const findings = await runAndPrint(chosen, { ...extent, defect });
  const isNoticed = isDefectFound(defect, findings);
  console.log(isNoticed ? "Red, as it must be." : "The defect was not noticed.");
  if (!isNoticed) process.exitCode = 1;
}

async function runAndPrint(
  chosen: Campaign,
  runOptions: RunExtent & Pick<RunOptions, "defect">,
): Promise<Findings> {
  const findings = await runCampaign(chosen, {
    ...runOptions,
    isShort: IS_SHORT,
    reportProgress: showProgress,
  });
  if (process.stderr.isTTY) process.stderr.write("\n");
  if (flags.includes("--json")) console.log(JSON.stringify(toJson(chosen, findings)));
  else printFindings(chosen, findings);
  return findings;
}

/** Returns the rounds or the size of a run; 0 if the campaign has none. */
function getExtent(extent: Extent | undefined): number {
  return (IS_SHORT ? extent?.short : extent?.full) ?? 0;
}

function printFindings({ fault }: Campaign, findings: Findings): void {
  const { runCount, acceptedCount, deliveryCount, lostCount } = findings;
  const { duplicateCount, duplicatesMax, notes, violations } = findings;
  console.log(`${fault}: ${runCount} runs`);
  console.log(`${acceptedCount} accepted, ${deliveryCount} deliveries, ${lostCount} lost`);
  console.log(`${duplicateCount} sent twice (bound ${duplicatesMax})`);
  for (const note of notes) console.log(`- ${note}`);
  for (const promise of violations) console.log(`BROKEN ${promise}`);
}

function toJson({ name: campaignName }: Campaign, findings: Findings) {
  return {
    campaign: campaignName,
    runs: findings.runCount,
    accepted: findings.acceptedCount,
    deliveries: findings.deliveryCount,
    lost: findings.lostCount,
    duplicates: findings.duplicateCount,
    duplicatesMax: findings.duplicatesMax,
    notes: findings.notes,
    broken: findings.violations,
  };
}

/** Rewrites one line on a terminal; elsewhere prints a new line at intervals. */
function showProgress(line: string): void {
  if (performance.now() - shownAt < PROGRESS_INTERVAL_MS) return;
  shownAt = performance.now();
  process.stderr.write(process.stderr.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
}

function listCampaigns(): void {
  for (const { name: campaignName, fault } of CAMPAIGNS)
    console.log(`${campaignName.padEnd(18)} ${fault}`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
