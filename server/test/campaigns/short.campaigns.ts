import assert from "node:assert/strict";
import test from "node:test";
import { CAMPAIGNS } from "./campaigns.ts";
import { runCampaign } from "./run-campaign.ts";

/** Runs several campaigns concurrently, as they mostly wait for their servers. */
const OPTIONS = { concurrency: 3, timeout: 30 * 60_000 };
const CAMPAIGN_OPTIONS = { timeout: 15 * 60_000 };

test("short campaigns keep every promise", OPTIONS, async (t) => {
  const runs = CAMPAIGNS.map((campaign) => {
    const obstacle = campaign.findObstacle?.() ?? null;
    return t.test(
      `${campaign.name}: ${campaign.fault}`,
      { ...CAMPAIGN_OPTIONS, skip: obstacle ?? false },
      async (t) => {
        const { rounds, size } = campaign;
        const run = {
          rounds: rounds.short,
          size: size?.short ?? 0,
          isShort: true,
          reportProgress() {},
        };
        const findings = await runCampaign(campaign, { ...run, defect: null });
        for (const note of findings.notes) t.diagnostic(note);
        t.diagnostic(`${findings.acceptedCount} accepted, ${findings.duplicateCount} duplicates`);
        assert.deepEqual(findings.violations, []);
        assert.ok(findings.acceptedCount > 0);
      },
    );
  });
  await Promise.all(runs);
});
