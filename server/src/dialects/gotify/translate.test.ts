import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_CONTENT } from "@tocsin/sdk";
import type { GotifyMessage } from "./read-message.ts";
import { translateMessage } from "./translate.ts";

const SENDER = { label: null, channel: null };

function translate(message: Partial<GotifyMessage>, sender: Partial<typeof SENDER | object> = {}) {
  const whole = { message: "42 GB", title: "Backup", priority: null, extras: null, ...message };
  return translateMessage(whole, { ...SENDER, ...sender });
}

test("a plain message becomes a plain notification without extras", () => {
  assert.deepEqual(translate({}), {
    draft: { ...EMPTY_CONTENT, title: "Backup", body: "42 GB" },
    extras: null,
  });
});

test("Gotify's priorities become ours, and the extras keep them unchanged", () => {
  for (const [gotifyPriority, priority, level] of [
    [-1, "low", 1],
    [0, "low", 1],
    [1, "low", 2],
    [3, "low", 2],
    [4, "normal", 3],
    [7, "normal", 3],
    [8, "high", 4],
    [9, "high", 4],
    [10, "high", 5],
    [99, "high", 5],
  ] as const) {
    const { draft, extras } = translate({ priority: gotifyPriority });
    assert.equal(draft.priority, priority, String(gotifyPriority));
    assert.equal(draft.timeSensitive, gotifyPriority >= 8);
    assert.deepEqual(JSON.parse(extras ?? ""), {
      priority: level,
      gotify: { priority: gotifyPriority },
    });
  }
});

test("a blank title becomes the label of the key", () => {
  assert.equal(translate({ title: " " }, { label: "cron" }).draft.title, "cron");
  assert.equal(translate({ title: "" }).draft.title, "");
  assert.equal(translate({}, { label: "cron" }).draft.title, "Backup");
});

test("the channel is the one that is set on the key", () => {
  assert.equal(translate({}, { channel: "backups" }).draft.channel, "backups");
  assert.equal(translate({}).draft.channel, "feed");
});

test("extras for display and click become Markdown, link and image, and all are kept", () => {
  const extras = {
    "client::display": { contentType: "text/markdown" },
    "client::notification": {
      click: { url: "https://example.org/job/7" },
      bigImageUrl: "https://example.org/graph.png",
    },
    "home::lamp": { on: true },
  };
  const { draft, extras: stored } = translate({ extras });
  assert.equal(draft.markdown, true);
  assert.equal(draft.link, "https://example.org/job/7");
  assert.equal(draft.image, "https://example.org/graph.png");
  assert.deepEqual(JSON.parse(stored ?? ""), { gotify: { extras } });
});

test("extras of unexpected forms are ignored", () => {
  for (const value of [null, 7, "text", [], { click: "https://example.org/" }, { click: [] }]) {
    const { draft } = translate({
      extras: { "client::display": value, "client::notification": value },
    });
    assert.deepEqual([draft.markdown, draft.link, draft.image], [false, null, null]);
  }
});
