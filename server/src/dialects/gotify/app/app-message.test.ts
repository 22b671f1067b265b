import assert from "node:assert/strict";
import { test } from "node:test";
import { createMailboxMessage } from "../../../../test/support/memory-apps.ts";
import { encodeExtras } from "../../extras.ts";
import { toGotifyMessage } from "./app-message.ts";

test("a message has every member, and its date an offset", () => {
  const message = toGotifyMessage(createMailboxMessage({ number: 7 }));
  assert.deepEqual(message, {
    id: 7,
    appid: message.appid,
    message: "42 GB",
    title: "Backup",
    priority: 5,
    date: "2026-09-21T14:13:20.999Z",
    extras: {},
  });
  assert.ok(Number.isSafeInteger(message.appid) && message.appid > 0);
});

test("a message without a title has the name of its channel, or of the server for the default one", () => {
  const read = (channel: string) => toGotifyMessage(createMailboxMessage({ title: "", channel }));
  assert.equal(read("backups").title, "backups");
  assert.equal(read("feed").title, "Tocsin");
  assert.notEqual(read("feed").appid, read("backups").appid);
});

test("a priority is as it came by Gotify, or that of ntfy, or ours on Gotify's scale", () => {
  const read = (fields: Parameters<typeof createMailboxMessage>[0]) =>
    toGotifyMessage(createMailboxMessage(fields)).priority;
  for (const [priority, expected] of [
    ["low", 2],
    ["normal", 5],
    ["high", 8],
    ["emergency", 10],
  ] as const) {
    assert.equal(read({ priority }), expected);
  }
  assert.equal(read({ priority: "low", timeSensitive: true }), 8);
  assert.equal(read({ priority: "emergency", timeSensitive: true }), 10);
  for (const [level, expected] of [
    [1, 0],
    [2, 2],
    [3, 5],
    [4, 8],
    [5, 10],
  ] as const) {
    assert.equal(read({ extras: encodeExtras({ priority: level }) }), expected);
  }
  for (const priority of [-1, 0, 3, 99]) {
    const extras = encodeExtras({ priority: 5, gotify: { priority } });
    assert.equal(read({ extras, timeSensitive: true }), priority);
  }
});

test("link, picture and Markdown become extras, and those of a sender to Gotify stay as they came", () => {
  const fields = {
    markdown: true,
    link: "https://a.example/",
    image: "https://a.example/b.png",
  };
  assert.deepEqual(toGotifyMessage(createMailboxMessage(fields)).extras, {
    "client::display": { contentType: "text/markdown" },
    "client::notification": {
      click: { url: "https://a.example/" },
      bigImageUrl: "https://a.example/b.png",
    },
  });
  const own = { "home::lamp": { on: true } };
  const extras = encodeExtras({ gotify: { extras: own } });
  assert.deepEqual(toGotifyMessage(createMailboxMessage({ ...fields, extras })).extras, own);
});
