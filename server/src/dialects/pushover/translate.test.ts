import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_CONTENT, LIMITS } from "@tocsin/sdk";
import type { PushoverMessage } from "./message.ts";
import { translatePushoverMessage } from "./translate.ts";

const HEADERS = { ttlSeconds: 86_400, idempotencyKey: "one" };

function translate(message: Partial<PushoverMessage>, label: string | null = null) {
  const plain = {
    text: "42 GB",
    title: "Backup",
    url: "",
    priority: 0,
    rounds: null,
    ttl: null,
    isHtml: false,
  };
  return translatePushoverMessage({ ...plain, ...message }, { label, channel: null }, HEADERS);
}

test("a plain message becomes a plain notification", () => {
  assert.deepEqual(translate({}), {
    draft: { ...EMPTY_CONTENT, title: "Backup", body: "42 GB" },
    extras: null,
    interaction: null,
    ignoredFields: [],
    ...HEADERS,
  });
});

test("Pushover's priorities become ours, and the extras keep them on ntfy's scale", () => {
  for (const [pushoverPriority, priority, level] of [
    [-2, "low", 1],
    [-1, "low", 2],
    [1, "high", 4],
    [2, "emergency", 5],
  ] as const) {
    const { draft, extras } = translate({ priority: pushoverPriority });
    assert.equal(draft.priority, priority);
    assert.equal(draft.timeSensitive, pushoverPriority > 0);
    assert.deepEqual(JSON.parse(extras ?? ""), { priority: level });
  }
});

test("HTML becomes text, a URL the link, and a missing title the label of the key", () => {
  const { draft } = translate({ isHtml: true, text: "<b>42</b> GB", url: "https://a.example/" });
  assert.deepEqual([draft.body, draft.link], ["42 GB", "https://a.example/"]);
  assert.equal(translate({ text: "<b>" }).draft.body, "<b>");
  assert.equal(translate({ url: "nothing" }).draft.link, null);
  assert.equal(translate({ title: " " }, "cron").draft.title, "cron");
});

test("a time to live is kept within our limits", () => {
  for (const [ttl, seconds] of [
    [3_600, 3_600],
    [1, LIMITS.ttlSecondsMin],
    [10 ** 12, LIMITS.ttlSecondsMax],
    [0, HEADERS.ttlSeconds],
    [-1, HEADERS.ttlSeconds],
  ] as const) {
    assert.equal(translate({ ttl }).ttlSeconds, seconds);
  }
});

test("priority 2 is an emergency that rings until it expires, with at most 100 rounds", () => {
  for (const [retry, expire, everyS, afterS] of [
    [60, 3_600, 60, 3_600],
    [30, 3_600, 36, 3_600],
    [30, 10, 30, 60],
    [7_200, 10_800, 3_600, 10_800],
    [30, 10 ** 9, 864, 86_400],
  ] as const) {
    const { interaction } = translate({ priority: 2, rounds: { retry, expire } });
    assert.deepEqual(interaction, {
      incident: { key: null, event: "trigger", autoResolveAfterMs: null },
      prompt: null,
      repeatEveryMs: everyS * 1_000,
      expireAfterMs: afterS * 1_000,
      escalation: null,
      callbackUrl: null,
    });
  }
});
