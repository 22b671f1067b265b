import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Campaign } from "../server/test/campaigns/campaign.ts";
import type { Findings } from "../server/test/campaigns/findings.ts";
import { ROOT } from "./files.ts";

const FILE = join(ROOT, "docs/promises.md");
/** Replaces the counts of a campaign that only measures times: a zero would claim that nothing was lost. */
const UNCOUNTED = "–";
const HEAD = /^\| campaign .*\n\| -.*\n/m;

/** Writes the row of a campaign into the table of `docs/promises.md`, in the order of the campaigns. */
export function writeRow(
  campaigns: readonly Campaign[],
  { campaign, findings }: { readonly campaign: Campaign; readonly findings: Findings },
): void {
  const text = readFileSync(FILE, "utf8");
  const head = HEAD.exec(text);
  if (head === null) throw new Error(`There is no table of campaigns in ${FILE}.`);
  const start = head.index + head[0].length;
  const [table = ""] = /^(?:\|.*\n)*/.exec(text.slice(start)) ?? [];
  const rows = new Map(table.split("\n").map((row) => [campaignNameOf(row), row]));
  rows.set(campaign.name, formatRow(campaign, findings));
  const ordered = campaigns.flatMap(({ name }) => rows.get(name) ?? []);
  const after = text.slice(start + table.length);
  writeFileSync(FILE, `${text.slice(0, start)}${ordered.join("\n")}\n${after}`);
}

function campaignNameOf(row: string): string {
  return /^\| `([a-z-]+)`/.exec(row)?.[1] ?? "";
}

function formatRow({ name, fault }: Campaign, findings: Findings): string {
  const { runs, accepted, deliveries, lost, duplicates, duplicatesMax, notes } = findings;
  const duplicateCount = `${duplicates.toLocaleString("en")} of ${duplicatesMax.toLocaleString("en")}`;
  const counts = [
    ...[accepted, deliveries].map((count) => count.toLocaleString("en")),
    `**${lost}**`,
    duplicateCount,
  ];
  const shownCounts = accepted === 0 ? counts.map(() => UNCOUNTED) : counts;
  const cells = [`\`${name}\``, fault, runs.toLocaleString("en"), ...shownCounts, notes.join("; ")];
  return `| ${cells.join(" | ")} |`;
}
