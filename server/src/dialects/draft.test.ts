import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_CONTENT } from "@tocsin/sdk";
import { createDraft, type ForeignContent } from "./draft.ts";

const CONTENT: ForeignContent = {
  title: "Backup",
  body: "42 GB",
  channel: null,
  priority: "normal",
  timeSensitive: false,
  markdown: false,
};

test("a draft has every field of the content, and the default channel if there is none", () => {
  const urls = {
    link: "https://example.org/",
    image: "https://example.org/a.png",
    icon: "https://example.org/b.png",
  };
  const content = { ...CONTENT, ...urls, channel: "backups", priority: "high", markdown: true };
  assert.deepEqual(createDraft(content as ForeignContent), { ...EMPTY_CONTENT, ...content });
  assert.equal(createDraft(CONTENT).channel, "feed");
});

test("a text that is too long is cut after whole characters, not code units", () => {
  const title = "🔔".repeat(1_024);
  assert.equal(createDraft({ ...CONTENT, title }).title, title);
  const cut = createDraft({ ...CONTENT, title: `${title}🔔`, body: "x".repeat(32_769) });
  assert.equal(cut.title, `${"🔔".repeat(1_023)}…`);
  assert.equal(cut.body.length, 32_768);
  assert.ok(cut.body.endsWith("x…"));
});

test("a URL that a notification must not contain is left out, and the alert still arrives", () => {
  for (const link of ["javascript:trip()", "not a URL", "https://ann:secret@example.org/", ""]) {
    assert.equal(createDraft({ ...CONTENT, link, image: link }).link, null, link);
    assert.equal(createDraft({ ...CONTENT, link, image: link }).image, null, link);
  }
});

test("a draft without any text is refused", () => {
  assert.throws(() => createDraft({ ...CONTENT, title: "\u202e", body: "\u0000" }), {
    code: "invalid_field",
  });
});
