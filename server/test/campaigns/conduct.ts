import { OwnScope } from "../support/scope.ts";
import type { Campaign, Order } from "./campaign.ts";
import type { Findings } from "./findings.ts";

/** Runs a campaign and ends all that it started; returns what it found. */
export async function conduct(
  campaign: Campaign,
  { isBroken, ...order }: Omit<Order, "defect" | "scope"> & { readonly isBroken: boolean },
): Promise<Findings> {
  const scope = new OwnScope();
  const defect = isBroken ? campaign.defect : null;
  try {
    return await campaign.run({ ...order, defect, scope });
  } finally {
    await scope.end();
  }
}

/** Says whether a campaign that was run with its defect found what the defect breaks. */
export function isNoticed({ defect }: Campaign, { broken }: Findings): boolean {
  return broken.some((promise) => defect.breaks.test(promise));
}
