import assert from "node:assert/strict";
import { test } from "node:test";
import { HARMLESS_LINK_SCHEMES, REFUSED_LINK_SCHEMES } from "@tocsin/sdk";
import { createGenericMessage, getPageUrl, parsePushMessage } from "./push-message.ts";

const ORIGIN = "https://push.example.org";
const PAGE = `${ORIGIN}/n/0190`;

function createDeclarativeMessage(notification: object): string {
  return JSON.stringify({ web_push: 8030, notification, mutable: false });
}

test("a declarative message keeps its texts, tag, page and urgency", () => {
  const text = createDeclarativeMessage({
    title: "Backup failed",
    body: "Disk full",
    navigate: PAGE,
    tag: "0190",
    silent: false,
    requireInteraction: true,
    image: "https://example.org/disk.png",
    data: { id: "0190", channel: "feed", link: "https://example.org/disk", sound: "harp" },
  });
  assert.deepEqual(parsePushMessage(text, ORIGIN), {
    id: "0190",
    navigate: PAGE,
    tag: "0190",
    title: "Backup failed",
    options: {
      body: "Disk full",
      icon: "/icons/bell-192.png",
      image: "https://example.org/disk.png",
      requireInteraction: true,
      silent: false,
    },
    link: "https://example.org/disk",
    sound: "harp",
    renotify: false,
    interaction: null,
  });
});

test("a message of an incident or a prompt keeps its ways to act, and ignores invalid ones", () => {
  const parse = (data: object) => {
    const text = createDeclarativeMessage({ title: "A", navigate: PAGE, silent: true, data });
    return parsePushMessage(text, ORIGIN);
  };
  const actions = [
    ["ack", "Acknowledge"],
    ["pass", "Pass on"],
  ];
  const incident = parse({ id: "0190", incident: "i", cause: "ring", actions, renotify: 1 });
  assert.deepEqual(incident.interaction, {
    incident: "i",
    prompt: null,
    actions,
    allowsText: false,
  });
  assert.deepEqual([incident.renotify, incident.options.silent], [true, true]);
  const invalidActions = [["ack"], ["ack", 7], ["", "A"], "ack", null, ["yes", "Yes"]];
  const prompt = parse({ id: "0190", prompt: "p", text: 1, actions: invalidActions });
  assert.deepEqual(prompt.interaction, {
    incident: null,
    prompt: "p",
    actions: [["yes", "Yes"]],
    allowsText: true,
  });
  assert.deepEqual(parse({ id: "0190", incident: 7, actions }).interaction, null);
  assert.deepEqual(parse({ id: "0190", prompt: "p", actions: "ack" }).interaction?.actions, []);
});

test("a message without a tag uses its id", () => {
  const text = createDeclarativeMessage({ title: "A", navigate: PAGE, data: { id: "0190" } });
  assert.equal(parsePushMessage(text, ORIGIN).tag, "0190");
});

test("an unreadable message is replaced with a generic message", () => {
  const unreadableMessages = [
    null,
    "",
    "plain text",
    "null",
    "[]",
    '"text"',
    "{}",
    '{"web_push":8030}',
    '{"web_push":8030,"notification":null}',
    '{"web_push":8030,"notification":{"title":7}}',
    '{"web_push":1,"notification":{"title":"A"}}',
  ];
  for (const text of unreadableMessages) {
    assert.deepEqual(parsePushMessage(text, ORIGIN), createGenericMessage(ORIGIN), String(text));
  }
});

/** Schemes of other programs. A worker never opens them. */
const PROGRAM_SCHEMES = [
  "ms-msdt:",
  "search-ms:",
  "view-source:",
  "content:",
  "homeassistant:",
  "x-apple.systempreferences:",
];

test("a URL of another origin is replaced with the notification's page", () => {
  for (const navigate of ["https://evil.example/", "javascript:alert(1)", "//evil.example", ""]) {
    assert.equal(getPageUrl({ navigate, id: "0190", origin: ORIGIN }), PAGE);
  }
  for (const scheme of [...HARMLESS_LINK_SCHEMES, ...REFUSED_LINK_SCHEMES, ...PROGRAM_SCHEMES]) {
    for (const navigate of [
      `${scheme}//${new URL(ORIGIN).host}.evil.example/n/0190`,
      `${scheme}x`,
    ]) {
      assert.equal(getPageUrl({ navigate, id: "0190", origin: ORIGIN }), PAGE, navigate);
    }
  }
  assert.equal(getPageUrl({ navigate: "", id: "", origin: ORIGIN }), `${ORIGIN}/`);
  assert.equal(getPageUrl({ navigate: "", id: "../a", origin: ORIGIN }), `${ORIGIN}/n/..%2Fa`);
});

test("an image without a web URL is omitted", () => {
  const text = createDeclarativeMessage({
    title: "A",
    navigate: PAGE,
    image: "data:image/png;base64,AA==",
  });
  assert.equal(parsePushMessage(text, ORIGIN).options.image, undefined);
});
