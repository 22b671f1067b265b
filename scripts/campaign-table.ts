import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Campaign } from "../server/test/campaigns/campaign.ts";
import type { Findings } from "../server/test/campaigns/findings.ts";
import { ROOT } from "./files.ts";

const PAGE_PATH = join(ROOT, "docs/promises.md");
/** Shown in place of the counts of a campaign that only measures times: a zero would claim that nothing was lost. */
const UNCOUNTED = "–";
const TABLE_HEAD_PATTERN = /^\| campaign .*\n\| -.*\n/m;

/** Writes the row of a campaign into the table of `docs/promises.md`, in the order of the campaigns. */
export function writeCampaignRow(
  campaigns: readonly Campaign[],
  { campaign, findings }: { readonly campaign: Campaign; readonly findings: Findings },
): void {
  const text = readFileSync(PAGE_PATH, "utf8");
  const head = TABLE_HEAD_PATTERN.exec(text);
  if (head === null) throw new Error(`There is no table of campaigns in ${PAGE_PATH}.`);
  const start = head.index + head[0].length;
  const [table = ""] = /^(?:\|.*\n)*/.exec(text.slice(start)) ?? [];
  const rows = new Map(table.split("\n").map((row) => [parseCampaignName(row), row]));
  rows.set(campaign.name, formatRow(campaign, findings));
  const orderedRows = campaigns.flatMap(({ name }) => rows.get(name) ?? []);
  const textAfter = text.slice(start + table.length);
  writeFileSync(PAGE_PATH, `${text.slice(0, start)}${orderedRows.join("\n")}\n${textAfter}`);
}

function parseCampaignName(row: string): string {
  return /^\| `([a-z-]+)`/.exec(row)?.[1] ?? "";
}

function formatRow({ name, fault }: Campaign, findings: Findings): string {
  const { runCount, acceptedCount, deliveryCount, lostCount } = findings;
  const { duplicateCount, duplicatesMax, notes } = findings;
  const counts = [
    ...[acceptedCount, deliveryCount].map((count) => count.toLocaleString("en")),
    `**${lostCount}**`,
    `${duplicateCount.toLocaleString("en")} of ${duplicatesMax.toLocaleString("en")}`,
  ];
  const shownCounts = acceptedCount === 0 ? counts.map(() => UNCOUNTED) : counts;
  const cells = [
    `\`${name}\``,
    fault,
    runCount.toLocaleString("en"),
    ...shownCounts,
    notes.join("; "),
  ];
  return `| ${cells.join(" | ")} |`;
}
