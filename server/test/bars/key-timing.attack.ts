import assert from "node:assert/strict";
import { randomInt, randomUUID } from "node:crypto";
import test from "node:test";
import { OPERATOR } from "#audit/event.ts";
import { issueKey } from "#keys/issue.ts";
import { KeyVerifier } from "#keys/verify.ts";
import { insertAccount, testContext } from "../support/room.ts";
import { sizeOf, tellFigure } from "./bar.ts";
import { welchT } from "./welch.ts";

const SAMPLES = sizeOf({ short: 12_000, full: 100_000 });
const WARM_UP = 2_000;
/** Of those who look for leaks by time: beyond it there is one (Goodwill et al., 2011, the TVLA). */
const T_MAX = 4.5;
/** The slowest samples are noise of the machine; one bound for both kinds removes them. */
const KEPT = 0.9;

test("a wrong key is refused as fast as an unknown one", { timeout: 10 * 60_000 }, async (t) => {
  const context = await testContext(t);
  const accountId = await insertAccount(context);
  const verifier = new KeyVerifier(context, { isListening: true });
  t.after(() => verifier.stop());
  const plain = { teamId: null, label: null, expiresAt: null, isPostOnly: false };
  const input = { accountId, ...plain, actor: OPERATOR };
  const keys: string[] = [];
  for (let count = 0; count < 100; count += 1) keys.push((await issueKey(context, input)).key);
  // Nearly right: all but one place before the four characters that the server keeps as a hint.
  const wrong = () => nearly(keys[randomInt(keys.length)] ?? "");
  const times: [number[], number[]] = [[], []];
  for (let count = 0; count < SAMPLES + WARM_UP; count += 1) {
    const kind = randomInt(2) === 0 ? 0 : 1;
    const key = kind === 0 ? randomUUID() : wrong();
    const start = process.hrtime.bigint();
    const found = await verifier.find(key);
    const took = Number(process.hrtime.bigint() - start);
    assert.equal(found, null);
    if (count >= WARM_UP) times[kind].push(took);
  }
  const bound = times.flat().toSorted((one, other) => one - other)[Math.floor(SAMPLES * KEPT)] ?? 0;
  const [unknown, nearlyRight] = times.map((all) => all.filter((took) => took < bound));
  const value = welchT(unknown ?? [], nearlyRight ?? []);
  assert.ok(Math.abs(value) < T_MAX, `Welch's t is ${value.toFixed(2)}, which tells them apart`);
  tellFigure(t, `t = ${value.toFixed(2)} over ${SAMPLES.toLocaleString("en")} samples`);
});

/** The key with another digit in its second group, which is no other key's. */
function nearly(key: string): string {
  const digit = ((Number.parseInt(key[9] ?? "0", 16) + 1 + randomInt(15)) % 16).toString(16);
  return `${key.slice(0, 9)}${digit}${key.slice(10)}`;
}
