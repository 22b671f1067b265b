import { ManualScope } from "../support/scope.ts";
import type { Campaign, RunOptions } from "./campaign.ts";
import type { Findings } from "./findings.ts";

/** Runs a campaign, stops everything that it started, and returns its findings. */
export async function runCampaign(
  campaign: Campaign,
  { isBroken, ...run }: Omit<RunOptions, "defect" | "scope"> & { readonly isBroken: boolean },
): Promise<Findings> {
  const scope = new ManualScope();
  const defect = isBroken ? campaign.defect : null;
  try {
    return await campaign.run({ ...run, defect, scope });
  } finally {
    await scope.end();
  }
}

/** Returns whether a campaign that ran with its defect found the broken promise. */
export function isDefectFound({ defect }: Campaign, { broken }: Findings): boolean {
  return broken.some((promise) => defect.breaks.test(promise));
}
