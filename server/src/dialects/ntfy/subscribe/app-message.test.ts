import assert from "node:assert/strict";
import { test } from "node:test";
import { createMailboxMessage } from "../../../../test/support/memory-apps.ts";
import { createNtfyDraft } from "../draft.ts";
import { parseNtfyMessage } from "../message.ts";
import { createParameterReader } from "../parameters.ts";
import { createAppMessage } from "./app-message.ts";

test("a message that came by ntfy's API reaches apps as it was sent", () => {
  const headers = {
    title: "Disk",
    priority: "min",
    tags: "warning,db,skull",
    click: "https://a.example/",
    icon: "https://a.example/icon.png",
    attach: "https://a.example/photos/c.jpg?x=1",
    filename: "cat.jpg",
    actions: "view, Open, https://a.example/; http, Close, https://a.example/, headers.a=b",
    md: "1",
    sid: "disk-1",
  };
  const read = createParameterReader({ headers, query: {} });
  const body = Buffer.from("42 **GB**");
  const sent = parseNtfyMessage({ topic: "disk_topic", read, body, isComplete: true });
  const { draft, extras } = createNtfyDraft(sent, "disk-topic");
  const message = createMailboxMessage({ ...draft, extras });
  assert.deepEqual(createAppMessage(message, "disk_topic"), sent);
});

test("a plain notification keeps its link, its pictures and its urgency", () => {
  const create = (fields: Parameters<typeof createMailboxMessage>[0]) =>
    createAppMessage(createMailboxMessage(fields), "t");
  const image = "https://a.example/photos/c%20d.jpg";
  const links = { link: "https://a.example/", image, icon: "https://a.example/i.png" };
  const { click, icon, attachment, actions, tags, sequenceId } = create(links);
  assert.deepEqual(
    { click, icon, attachment, actions, tags, sequenceId },
    {
      click: links.link,
      icon: links.icon,
      attachment: { name: "c%20d.jpg", url: image },
      actions: [],
      tags: [],
      sequenceId: "",
    },
  );
  assert.equal(create({ image: "https://a.example/" }).attachment?.name, "attachment");
  for (const [priority, timeSensitive, expected] of [
    ["low", false, 2],
    ["normal", false, null],
    ["high", false, 4],
    ["emergency", false, 5],
    ["low", true, 4],
    ["normal", true, 4],
    ["emergency", true, 5],
  ] as const) {
    assert.equal(create({ priority, timeSensitive }).priority, expected, priority);
  }
});

test("a title that does not begin with the emoji of its tags stays as it is", () => {
  const extras = '{"tags":["skull"]}';
  for (const [title, expected] of [
    ["💀 Disk", "Disk"],
    ["💀", ""],
    ["💀💀 Disk", "💀💀 Disk"],
    ["Disk", "Disk"],
  ] as const) {
    assert.equal(createAppMessage(createMailboxMessage({ title, extras }), "t").title, expected);
  }
  assert.equal(createAppMessage(createMailboxMessage({ title: "💀 Disk" }), "t").title, "💀 Disk");
});
