import assert from "node:assert/strict";
import { randomInt, randomUUID } from "node:crypto";
import test from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { issueKey } from "#keys/issue.ts";
import { KeyVerifier } from "#keys/verify.ts";
import { insertAccount, createRoomContext } from "../support/context.ts";
import { chooseSize, reportFigure } from "./bar.ts";
import { computeWelchT } from "./welch.ts";

const SAMPLE_COUNT = chooseSize({ short: 12_000, full: 100_000 });
const WARM_UP_COUNT = 2_000;
/** Threshold of the TVLA (Goodwill et al., 2011): a larger t means a timing leak. */
const T_MAX = 4.5;
/** Share of the samples that count. The slowest samples are noise of the machine; both kinds of key have the same bound. */
const INCLUDED_SHARE = 0.9;

const OPTIONS = { timeout: 10 * 60_000 };

test(
  "a key one digit away from a valid one is refused as fast as a random one",
  OPTIONS,
  async (t) => {
    const context = await createRoomContext(t);
    const accountId = await insertAccount(context);
    const verifier = new KeyVerifier(context, { isListening: true });
    t.after(() => verifier.stop());
    const plain = { teamId: null, label: null, expiresAt: null, isPostOnly: false };
    const input = { accountId, ...plain, actor: OPERATOR };
    const keys: string[] = [];
    for (let count = 0; count < 100; count += 1) keys.push((await issueKey(context, input)).key);
    // Differs in one digit before the last four characters, which the server stores as a hint.
    const createSimilarKey = () => changeDigit(keys[randomInt(keys.length)] ?? "");
    const samplesNs: [ofRandomKeys: number[], ofSimilarKeys: number[]] = [[], []];
    for (let count = 0; count < SAMPLE_COUNT + WARM_UP_COUNT; count += 1) {
      const kind = randomInt(2) === 0 ? 0 : 1;
      const key = kind === 0 ? randomUUID() : createSimilarKey();
      const start = process.hrtime.bigint();
      const principal = await verifier.findPrincipal(key);
      const elapsedNs = Number(process.hrtime.bigint() - start);
      assert.equal(principal, null);
      if (count >= WARM_UP_COUNT) samplesNs[kind].push(elapsedNs);
    }
    const upperBoundNs =
      samplesNs.flat().toSorted((a, b) => a - b)[Math.floor(SAMPLE_COUNT * INCLUDED_SHARE)] ?? 0;
    const [randomKeyTimesNs, similarKeyTimesNs] = samplesNs.map((values) =>
      values.filter((elapsedNs) => elapsedNs < upperBoundNs),
    );
    const tValue = computeWelchT(randomKeyTimesNs ?? [], similarKeyTimesNs ?? []);
    assert.ok(
      Math.abs(tValue) < T_MAX,
      `Welch's t is ${tValue.toFixed(2)}, which tells them apart`,
    );
    reportFigure(t, `t = ${tValue.toFixed(2)} over ${SAMPLE_COUNT.toLocaleString("en")} samples`);
  },
);

/** Returns the key with one digit of its second group changed; no other key matches it. */
function changeDigit(key: string): string {
  const digit = ((Number.parseInt(key[9] ?? "0", 16) + 1 + randomInt(15)) % 16).toString(16);
  return `${key.slice(0, 9)}${digit}${key.slice(10)}`;
}
