// npm run campaign                         lists the campaigns
// npm run campaign -- NAME                 runs one, for as many rounds as docs/promises.md states
// npm run campaign -- NAME --rounds=N      runs N rounds
// npm run campaign -- NAME --size=N        runs with N jobs or devices, if the campaign has a size
// npm run campaign -- NAME --short         runs the short form of continuous integration
// npm run campaign -- NAME --broken        runs with the defect that must turn the campaign red
// npm run campaign -- NAME --write         also writes its row in docs/promises.md, if every promise was kept
// npm run campaign -- NAME --json          prints the result as JSON
//
// Exits with 0 if every promise was kept; with --broken, if one was not.
import { CAMPAIGNS } from "../server/test/campaigns/campaigns.ts";
import type { Campaign, Extent } from "../server/test/campaigns/campaign.ts";
import { runCampaign, isDefectFound } from "../server/test/campaigns/run-campaign.ts";
import type { Findings } from "../server/test/campaigns/findings.ts";
import { countOf } from "./flags.ts";
import { writeRow } from "./promises.ts";

const [name, ...flags] = process.argv.slice(2);
const IS_SHORT = flags.includes("--short");
const PROGRESS_EVERY_MS = 1_000;
let reportedAt = Number.NEGATIVE_INFINITY;
const campaign = CAMPAIGNS.find((candidate) => candidate.name === name);
if (name === undefined) list();
else if (campaign === undefined)
  fail(`There is no campaign "${name}". npm run campaign lists them.`);
else await run(campaign);

async function run(chosen: Campaign): Promise<void> {
  const obstacle = chosen.obstacle?.() ?? null;
  const rounds = countOf("rounds", { args: flags, fallback: extentOf(chosen.rounds) });
  const size = countOf("size", { args: flags, fallback: extentOf(chosen.size) });
  if (obstacle !== null) fail(`${chosen.name} cannot run here: ${obstacle}`);
  else if (rounds === null || size === null) fail("--rounds and --size take a number above 0.");
  else await report(chosen, { rounds, size });
}

async function report(
  chosen: Campaign,
  extent: { readonly rounds: number; readonly size: number },
): Promise<void> {
  const isBroken = flags.includes("--broken");
  if (isBroken) console.error(`Broken on purpose: ${chosen.defect.mistake}.`);
  const findings = await runCampaign(chosen, { ...extent, isShort: IS_SHORT, isBroken, progress });
  if (process.stderr.isTTY) process.stderr.write("\n");
  if (flags.includes("--json")) console.log(JSON.stringify(toJson(chosen, findings)));
  else printFindings(chosen, findings);
  const isExpected = isBroken ? isDefectFound(chosen, findings) : findings.broken.length === 0;
  // The table contains only full runs in which every promise was kept.
  if (flags.includes("--write") && isExpected && !isBroken && !IS_SHORT) {
    writeRow(CAMPAIGNS, { campaign: chosen, findings });
  }
  if (!isExpected) process.exitCode = 1;
  if (isBroken) console.log(isExpected ? "Red, as it must be." : "The defect was not noticed.");
}

/** Returns 0 if the campaign has no such extent. */
function extentOf(extent: Extent | undefined): number {
  return (IS_SHORT ? extent?.short : extent?.full) ?? 0;
}

function printFindings({ fault }: Campaign, findings: Findings): void {
  const { runs, accepted, deliveries, lost, duplicates, duplicatesMax, notes, broken } = findings;
  console.log(`${fault}: ${runs} runs`);
  console.log(`${accepted} accepted, ${deliveries} deliveries, ${lost} lost`);
  console.log(`${duplicates} sent twice (bound ${duplicatesMax})`);
  for (const note of notes) console.log(`- ${note}`);
  for (const promise of broken) console.log(`BROKEN ${promise}`);
}

function toJson({ name: campaignName }: Campaign, findings: Findings) {
  const { runs, accepted, deliveries, lost, duplicates, duplicatesMax, notes, broken } = findings;
  const counts = { runs, accepted, deliveries, lost, duplicates, duplicatesMax };
  return { campaign: campaignName, ...counts, notes, broken };
}

/** Rewrites one line on a terminal; elsewhere prints a new line at intervals. */
function progress(line: string): void {
  if (performance.now() - reportedAt < PROGRESS_EVERY_MS) return;
  reportedAt = performance.now();
  process.stderr.write(process.stderr.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
}

function list(): void {
  for (const { name: campaignName, fault } of CAMPAIGNS)
    console.log(`${campaignName.padEnd(18)} ${fault}`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
