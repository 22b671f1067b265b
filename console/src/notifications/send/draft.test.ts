import assert from "node:assert/strict";
import { test } from "node:test";
import { addresseeIn, EMPTY_DRAFT, parseDraft, requestOf } from "./draft.ts";

test("an empty field is not given", () => {
  assert.deepEqual(requestOf({ ...EMPTY_DRAFT, title: "Hello" }), {
    title: "Hello",
    body: "",
    to: { kind: "account" },
  });
});

test("a filled field is sent as it was written", () => {
  const request = requestOf({
    ...EMPTY_DRAFT,
    to: "group:g-1",
    title: "Hello",
    body: "World",
    sound: "harp",
    channel: "ops",
    link: "https://example.org",
    image: "https://example.org/a.png",
    timeSensitive: true,
    markdown: true,
    ttlSeconds: 600,
    sendKey: "k",
  });
  assert.deepEqual(request, {
    title: "Hello",
    body: "World",
    to: { kind: "group", groupId: "g-1" },
    sound: "harp",
    channel: "ops",
    link: "https://example.org",
    image: "https://example.org/a.png",
    timeSensitive: true,
    markdown: true,
  });
});

test("an address names a group, a device or a team, and nothing else", () => {
  assert.equal(addresseeIn({ device: "d-1" }), "device:d-1");
  assert.equal(addresseeIn({ team: "t-1" }), "team:t-1");
  assert.equal(addresseeIn({ group: 7, else: "x" }), null);
});

test("a kept draft comes back, and an odd one is empty", () => {
  const draft = { ...EMPTY_DRAFT, title: "Half writ", ttlSeconds: 600 };
  assert.deepEqual(parseDraft(JSON.stringify(draft)), draft);
  for (const odd of [null, "", "{", "7", "null", '"x"']) {
    assert.deepEqual(parseDraft(odd), EMPTY_DRAFT);
  }
  assert.deepEqual(parseDraft('{"title":7,"body":"kept","more":1}'), {
    ...EMPTY_DRAFT,
    body: "kept",
  });
});
