import assert from "node:assert/strict";
import { test } from "node:test";
import { getAdvice } from "./advice.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

function getAdviceText(reason: string | null, date?: string): string {
  return getAdvice({ reason, environment: "sandbox", date, now: NOW });
}

test("each reason for a refused credential leads to advice", () => {
  const table: readonly (readonly [string | null, RegExp])[] = [
    ["InvalidProviderToken", /_KEY_ID and TOCSIN_APNS_TEAM_ID belong together.*clock/u],
    ["ExpiredProviderToken", /Set the clock/u],
    ["BadEnvironmentKeyIdInToken", /restricted to the other environment: for devices of sandbox/u],
    ["BadEnvironmentKeyInToken", /restricted to the other environment/u],
    ["BadTopic", /Set TOCSIN_APNS_TOPIC to the bundle id of the app/u],
    ["MissingTopic", /Set TOCSIN_APNS_TOPIC/u],
    ["DeviceTokenNotForTopic", /Set TOCSIN_APNS_TOPIC/u],
    ["TopicDisallowed", /an app that the key may send to/u],
    ["Forbidden", /developer account/u],
    [null, /developer account/u],
  ];
  for (const [reason, pattern] of table)
    assert.match(getAdviceText(reason), pattern, String(reason));
});

test("the advice says how far the clock is off if Apple's date differs by over five minutes", () => {
  const reason = "InvalidProviderToken";
  assert.equal(
    getAdviceText(reason, "Fri, 20 Nov 2026 11:50:00 GMT"),
    "Set the clock of this server: it is 10 minutes ahead.",
  );
  assert.equal(
    getAdviceText("ExpiredProviderToken", "Fri, 20 Nov 2026 14:00:00 GMT"),
    "Set the clock of this server: it is 120 minutes behind.",
  );
  assert.match(getAdviceText(reason, "Fri, 20 Nov 2026 11:56:00 GMT"), /belong together/u);
  assert.match(getAdviceText(reason, "yesterday"), /belong together/u);
});
