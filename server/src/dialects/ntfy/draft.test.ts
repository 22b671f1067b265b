import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EMPTY_CONTENT } from "@tocsin/sdk";
import { createNtfyDraft } from "./draft.ts";
import { parseNtfyMessage } from "./message.ts";
import { createParameterReader } from "./parameters.ts";

function createDraft(headers: Readonly<Record<string, string>>, body = "text") {
  const read = createParameterReader({ headers, query: {} });
  const message = { topic: "t", read, body: Buffer.from(body), isComplete: true };
  const { extras, ...rest } = createNtfyDraft(parseNtfyMessage(message), "backups");
  return { ...rest, extras: extras === null ? null : JSON.parse(extras) };
}

test("a plain message has only a text and a channel, and no extras", () => {
  assert.deepEqual(createDraft({}), {
    draft: { ...EMPTY_CONTENT, body: "text", channel: "backups" },
    extras: null,
    ignoredFields: [],
  });
});

test("the extras of a message keep the parts that only some devices can show", () => {
  const { draft, extras, ignoredFields } = createDraft({
    title: "Disk full",
    priority: "urgent",
    tags: "warning,db-1",
    click: "https://a.example/disk",
    icon: "https://a.example/icon.png",
    attach: "https://a.example/graph.PNG?day=1",
    markdown: "yes",
    actions: "view, Open, https://a.example/open",
    "x-sequence-id": "disk",
  });
  assert.deepEqual(draft, {
    title: "⚠️ Disk full",
    body: "text",
    sound: null,
    channel: "backups",
    link: "https://a.example/disk",
    image: "https://a.example/graph.PNG?day=1",
    icon: "https://a.example/icon.png",
    timeSensitive: true,
    priority: "high",
    markdown: true,
  });
  const action = { id: "1", action: "view", label: "Open", clear: false };
  assert.deepEqual(extras, {
    priority: 5,
    sequenceId: "disk",
    attachment: { name: "graph.PNG", url: "https://a.example/graph.PNG?day=1" },
    tags: ["warning", "db-1"],
    actions: [{ ...action, url: "https://a.example/open" }],
  });
  assert.deepEqual(ignoredFields, []);
});

test("priorities 4 and 5 are time-sensitive", () => {
  const levels = ["1", "2", "3", "4", "5"].map((priority) => {
    const { draft, extras } = createDraft({ priority });
    assert.deepEqual(extras, { priority: Number(priority) });
    return [draft.priority, draft.timeSensitive];
  });
  assert.deepEqual(levels, [
    ["low", false],
    ["low", false],
    ["normal", false],
    ["high", true],
    ["high", true],
  ]);
});

test("without a click, the link is the attachment unless it is a picture, otherwise the first action that opens a page", () => {
  const attach = "https://a.example/log.txt";
  const actions = "http, Close, https://a.example/close; view, Open, https://a.example/open";
  assert.equal(createDraft({ attach, actions }).draft.link, attach);
  assert.equal(createDraft({ actions }).draft.link, "https://a.example/open");
});

test("a URL that no device may open is left out, and its parameter is reported", () => {
  const { draft, ignoredFields } = createDraft({
    click: "javascript:alert(1)",
    icon: "https://user:word@a.example/icon.png",
    attach: `https://a.example/${"a".repeat(2_048)}`,
    actions: "view, Open, javascript:alert(1)",
  });
  assert.deepEqual([draft.link, draft.icon, draft.image], [null, null, null]);
  assert.deepEqual(ignoredFields, ["click", "icon", "attach"]);
});

test("a title has at most 1,024 characters, its emoji included", () => {
  const { draft } = createDraft({ title: "ä".repeat(1_024), tags: "tada" });
  assert.equal(draft.title, `🎉 ${"ä".repeat(1_021)}…`);
});

test("a message of any text, title, click and tags becomes a notification", () => {
  const anyText = fc.oneof(fc.string({ unit: "binary-ascii" }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(anyText, anyText, anyText, anyText, (body, title, click, tags) => {
      const { draft } = createDraft({ title, click, tags, message: click }, body);
      assert.notEqual(draft.body, "");
    }),
  );
});
