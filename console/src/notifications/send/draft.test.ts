import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddresseeQuery, EMPTY_DRAFT, parseDraft, toSendRequest } from "./draft.ts";

test("a request omits empty fields except title and body", () => {
  assert.deepEqual(toSendRequest({ ...EMPTY_DRAFT, title: "Hello" }), {
    title: "Hello",
    body: "",
    to: { kind: "account" },
  });
});

test("a request contains every filled field, but not the lifetime and the idempotency key", () => {
  const request = toSendRequest({
    ...EMPTY_DRAFT,
    to: "group:g-1",
    title: "Hello",
    body: "World",
    sound: "harp",
    channel: "ops",
    link: "https://example.org",
    image: "https://example.org/a.png",
    timeSensitive: true,
    priority: "high",
    markdown: true,
    choices: "yes\nno",
    ttlSeconds: 600,
    idempotencyKey: "k",
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
    priority: "high",
    markdown: true,
    choices: ["yes", "no"],
  });
});

test("the query names a group, a device or a team", () => {
  assert.equal(parseAddresseeQuery({ device: "d-1" }), "device:d-1");
  assert.equal(parseAddresseeQuery({ team: "t-1" }), "team:t-1");
  assert.equal(parseAddresseeQuery({ group: 7, else: "x" }), null);
});

test("a stored draft is parsed, and invalid fields are empty", () => {
  const draft = { ...EMPTY_DRAFT, title: "Half written", ttlSeconds: 600 };
  assert.deepEqual(parseDraft(JSON.stringify(draft)), draft);
  for (const invalidText of [null, "", "{", "7", "null", '"x"']) {
    assert.deepEqual(parseDraft(invalidText), EMPTY_DRAFT);
  }
  assert.deepEqual(parseDraft('{"title":7,"body":"kept","more":1}'), {
    ...EMPTY_DRAFT,
    body: "kept",
  });
});
