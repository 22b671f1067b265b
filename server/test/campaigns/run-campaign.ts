import { ManualScope } from "../support/scope.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import type { Defect } from "./defect.ts";
import type { Findings } from "./findings.ts";

/** Runs a campaign, stops everything that it started, and returns its findings. */
export async function runCampaign(
  campaign: Campaign,
  run: Omit<RunOptions, "scope">,
): Promise<Findings> {
  const scope = new ManualScope();
  try {
    return await campaign.run({ ...run, scope });
  } finally {
    await scope.end();
  }
}

/** Returns whether a campaign that ran with a defect found the broken promise. */
export function isDefectFound(defect: Defect, { violations }: Findings): boolean {
  return violations.some((violation) => defect.breaks.test(violation));
}
