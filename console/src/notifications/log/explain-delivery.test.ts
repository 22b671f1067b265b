import assert from "node:assert/strict";
import { test } from "node:test";
import {
  APP_PROOFS,
  DELIVERY_CODES,
  PROVIDERS,
  type AppProof,
  type DeliveryAttempt,
} from "@tocsin/sdk";
import { texts as de } from "../../language/de-pages.ts";
import { texts as en } from "../../language/en-pages.ts";
import { findExplanationKey, explainDelivery } from "./explain-delivery.ts";

test("every code has a title, an explanation and a remedy in every language", () => {
  const usedKeys = new Set<string>(APP_PROOFS.map((how) => explainProof(how)));
  for (const code of DELIVERY_CODES) {
    for (const provider of PROVIDERS) {
      const key = findExplanationKey(code, provider);
      assert.ok(key !== null, code);
      usedKeys.add(key);
      for (const language of [en, de]) {
        const entries: readonly [string, string][] = Object.entries(
          language.explanation[key] ?? {},
        );
        const names = entries.filter(([, text]) => text !== "").map(([name]) => name);
        assert.deepEqual(names, ["title", "text", "remedy"], `${code} of ${provider}`);
      }
    }
  }
  assert.deepEqual([...usedKeys].toSorted(), Object.keys(en.explanation).toSorted());
});

/** Returns the text key for a notification that an app got over a connection without answers, given this proof. */
function explainProof(how: string): string {
  const attempt = { ...createAttempt("accepted", "accepted"), answer: "written" };
  // A newer server may send an unknown proof.
  const proof = { how: how as AppProof, at: attempt.at };
  const attemptHistory = [attempt];
  return (
    explainDelivery({ code: "accepted", provider: "stream", proof, attemptHistory })?.key ?? ""
  );
}

test("the proof of an app explains the acceptance, and an unknown proof counts as none", () => {
  assert.equal(explainProof("written"), "accepted_written");
  assert.equal(explainProof("resumed"), "accepted_resumed");
  assert.equal(explainProof("dreamt"), "accepted_stream");
});

function createAttempt(outcome: DeliveryAttempt["outcome"], code: string): DeliveryAttempt {
  const at = "2026-05-04T09:30:00.000Z";
  return { attempt: 1, at, outcome, code, answer: null, nextAttemptAt: null };
}

test("a final code without a reason has the last failure as its cause", () => {
  const attemptHistory = [
    createAttempt("retry", "unreachable"),
    createAttempt("retry", "rate_limited"),
  ];
  const abandonedDelivery = { code: "gave_up", provider: "fcm", attemptHistory } as const;
  assert.deepEqual(explainDelivery(abandonedDelivery), { key: "gave_up", cause: "rate_limited" });
  const expiredDelivery = { ...abandonedDelivery, code: "expired", attemptHistory: [] };
  assert.deepEqual(explainDelivery(expiredDelivery), { key: "expired", cause: null });
  const goneDelivery = { ...abandonedDelivery, code: "device_gone" };
  assert.deepEqual(explainDelivery(goneDelivery), { key: "device_gone_fcm", cause: null });
});

test("an unknown code from a newer server has no explanation", () => {
  assert.equal(explainDelivery({ code: "eaten", provider: "apns", attemptHistory: [] }), null);
});
