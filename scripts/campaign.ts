// npm run campaign                         lists the campaigns
// npm run campaign -- NAME                 runs one, for as many rounds as docs/promises.md tells
// npm run campaign -- NAME --rounds=N      for so many
// npm run campaign -- NAME --size=N        with so many jobs or devices, where the campaign has a size
// npm run campaign -- NAME --short         as small as in continuous integration
// npm run campaign -- NAME --broken        with the defect that must turn it red
// npm run campaign -- NAME --write         and puts its row into docs/promises.md, where every promise was kept
// npm run campaign -- NAME --json          with the result as JSON
//
// Ends with 0 where every promise was kept, and with --broken where one was not.
import { CAMPAIGNS } from "../server/test/campaigns/campaigns.ts";
import type { Campaign, Extent } from "../server/test/campaigns/campaign.ts";
import { runCampaign, isDefectFound } from "../server/test/campaigns/run-campaign.ts";
import type { Findings } from "../server/test/campaigns/findings.ts";
import { countOf } from "./flags.ts";
import { writeRow } from "./promises.ts";

const [name, ...flags] = process.argv.slice(2);
const IS_SHORT = flags.includes("--short");
const PROGRESS_EVERY_MS = 1_000;
let toldAt = Number.NEGATIVE_INFINITY;
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
  if (flags.includes("--json")) console.log(JSON.stringify(inJson(chosen, findings)));
  else tell(chosen, findings);
  const isGood = isBroken ? isDefectFound(chosen, findings) : findings.broken.length === 0;
  // The table says what holds.
  if (flags.includes("--write") && isGood && !isBroken && !IS_SHORT) {
    writeRow(CAMPAIGNS, { campaign: chosen, findings });
  }
  if (!isGood) process.exitCode = 1;
  if (isBroken) console.log(isGood ? "Red, as it must be." : "The defect was not noticed.");
}

/** 0 where the campaign has no such extent. */
function extentOf(extent: Extent | undefined): number {
  return (IS_SHORT ? extent?.short : extent?.full) ?? 0;
}

function tell({ fault }: Campaign, findings: Findings): void {
  const { runs, accepted, deliveries, lost, duplicates, duplicatesMax, notes, broken } = findings;
  console.log(`${fault}: ${runs} runs`);
  console.log(`${accepted} accepted, ${deliveries} deliveries, ${lost} lost`);
  console.log(`${duplicates} sent twice (bound ${duplicatesMax})`);
  for (const note of notes) console.log(`- ${note}`);
  for (const promise of broken) console.log(`BROKEN ${promise}`);
}

function inJson({ name: campaignName }: Campaign, findings: Findings) {
  const { runs, accepted, deliveries, lost, duplicates, duplicatesMax, notes, broken } = findings;
  const counts = { runs, accepted, deliveries, lost, duplicates, duplicatesMax };
  return { campaign: campaignName, ...counts, notes, broken };
}

/** One line that changes on a terminal; elsewhere a line now and then. */
function progress(line: string): void {
  if (performance.now() - toldAt < PROGRESS_EVERY_MS) return;
  toldAt = performance.now();
  process.stderr.write(process.stderr.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
}

function list(): void {
  for (const { name: known, fault } of CAMPAIGNS) console.log(`${known.padEnd(18)} ${fault}`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
