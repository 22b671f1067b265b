import assert from "node:assert/strict";
import { test } from "node:test";
import { DELIVERY_CODES, PROVIDERS, type DeliveryAttempt } from "@tocsin/sdk";
import { texts as de } from "../../language/de-pages.ts";
import { texts as en } from "../../language/en-pages.ts";
import { whyKeyOf, whyOf } from "./why.ts";

test("every code of the server has a title, an explanation and what to do, in every language", () => {
  const used = new Set<string>();
  for (const code of DELIVERY_CODES) {
    for (const provider of PROVIDERS) {
      const key = whyKeyOf(code, provider);
      assert.ok(key !== null, code);
      used.add(key);
      for (const language of [en, de]) {
        const words: readonly [string, string][] = Object.entries(language.why[key] ?? {});
        const said = words.filter(([, text]) => text !== "").map(([name]) => name);
        assert.deepEqual(said, ["title", "text", "todo"], `${code} of ${provider}`);
      }
    }
  }
  assert.deepEqual([...used].toSorted(), Object.keys(en.why).toSorted());
});

function attempt(outcome: DeliveryAttempt["outcome"], code: string): DeliveryAttempt {
  const at = "2026-05-04T09:30:00.000Z";
  return { attempt: 1, at, outcome, code, answer: null, nextAttemptAt: null };
}

test("an end that says nothing of its reason names what happened last", () => {
  const attemptHistory = [attempt("retry", "unreachable"), attempt("retry", "rate_limited")];
  const gaveUp = { code: "gave_up", provider: "fcm", attemptHistory } as const;
  assert.deepEqual(whyOf(gaveUp), { key: "gave_up", cause: "rate_limited" });
  const expired = { ...gaveUp, code: "expired", attemptHistory: [] };
  assert.deepEqual(whyOf(expired), { key: "expired", cause: null });
  const gone = { ...gaveUp, code: "device_gone" };
  assert.deepEqual(whyOf(gone), { key: "device_gone_fcm", cause: null });
});

test("a code of a newer server has no words of ours", () => {
  assert.equal(whyOf({ code: "eaten", provider: "apns", attemptHistory: [] }), null);
});
