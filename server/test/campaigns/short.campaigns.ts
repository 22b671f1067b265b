import assert from "node:assert/strict";
import test from "node:test";
import { CAMPAIGNS } from "./campaigns.ts";
import { conduct } from "./conduct.ts";

/** They mostly wait, each for its own servers. */
const AT_ONCE = { concurrency: 3, timeout: 30 * 60_000 };
const EACH = { timeout: 15 * 60_000 };

test("short campaigns keep every promise", AT_ONCE, async (t) => {
  const running = CAMPAIGNS.map((campaign) => {
    const obstacle = campaign.obstacle?.() ?? null;
    return t.test(
      `${campaign.name}: ${campaign.fault}`,
      { ...EACH, skip: obstacle ?? false },
      async (t) => {
        const { rounds, size } = campaign;
        const order = { rounds: rounds.short, size: size?.short ?? 0, isShort: true, say() {} };
        const findings = await conduct(campaign, { ...order, isBroken: false });
        for (const note of findings.notes) t.diagnostic(note);
        t.diagnostic(`${findings.accepted} accepted, ${findings.duplicates} sent twice`);
        assert.deepEqual(findings.broken, []);
        assert.ok(findings.accepted > 0);
      },
    );
  });
  await Promise.all(running);
});
