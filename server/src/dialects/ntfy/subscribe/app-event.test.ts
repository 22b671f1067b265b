import assert from "node:assert/strict";
import { test } from "node:test";
import { HOSTILE_TEXTS } from "../../../../test/support/hostile-texts.ts";
import { createMailboxMessage } from "../../../../test/support/memory-apps.ts";
import { encodeAppMessage, encodeEvent } from "./app-event.ts";
import { JSON_FORMAT, RAW_FORMAT, SSE_FORMAT } from "./format.ts";

function encode(fields: Parameters<typeof createMailboxMessage>[0]) {
  const message = createMailboxMessage(fields);
  return encodeAppMessage({ topic: "my_topic", message }, { baseUrl: "https://push.example.org" });
}

test("a plain message has only the members that are set", () => {
  const { json } = encode({ title: "" });
  assert.deepEqual(JSON.parse(json), {
    id: createMailboxMessage().notificationId,
    time: 1_790_000_000,
    expires: 1_790_086_400,
    event: "message",
    topic: "my_topic",
    message: "42 GB",
  });
});

test("every member has exactly the type that ntfy's programs decode", () => {
  const extras = {
    priority: 5,
    sequenceId: "s1",
    tags: ["a", "b"],
    attachment: { name: "c.jpg", url: "https://a.example/c.jpg" },
    actions: [
      {
        id: "1",
        action: "http",
        label: "L",
        clear: true,
        url: "https://a.example/",
        headers: { a: "b" },
      },
    ],
  };
  const { json } = encode({
    markdown: true,
    link: "https://a.example/",
    icon: "https://a.example/i.png",
    extras: JSON.stringify(extras),
  });
  const { sequence_id, priority, tags, click, icon, attachment, actions, content_type } =
    JSON.parse(json);
  assert.deepEqual(
    { sequence_id, priority, tags, click, icon, attachment, actions, content_type },
    {
      sequence_id: "s1",
      priority: 5,
      tags: ["a", "b"],
      click: "https://a.example/",
      icon: "https://a.example/i.png",
      attachment: extras.attachment,
      actions: extras.actions,
      content_type: "text/markdown",
    },
  );
  assert.doesNotMatch(json, /null/);
});

test("a text of more than 16 KiB is cut, and leads to its page if it has no link", () => {
  const atLimit = "ü".repeat(8 * 1024);
  assert.equal(JSON.parse(encode({ body: atLimit }).json).message, atLimit);
  assert.equal(JSON.parse(encode({ body: atLimit }).json).click, undefined);
  const cut = JSON.parse(encode({ body: `a${"😀".repeat(8 * 1024)}` }).json);
  assert.ok(Buffer.byteLength(cut.message) <= 16 * 1024);
  assert.match(cut.message, /^a😀+…$/u);
  assert.equal(cut.click, `https://push.example.org/n/${cut.id}`);
  const linked = encode({ body: `${atLimit}a`, link: "https://a.example/" });
  assert.equal(JSON.parse(linked.json).click, "https://a.example/");
});

test("a line has less than 64 KiB, whatever the message contains", () => {
  const url = `https://a.example/${"ü".repeat(2_000)}`;
  for (const character of ['"', "\n", "ü", "\u2028", "\u0085", "\ud800"]) {
    const extras = JSON.stringify({
      priority: 4,
      tags: [character.repeat(1_000)],
      actions: [{ id: "1", action: "copy", label: "L", clear: false, value: url }],
      attachment: { name: "a", url },
    });
    const text = { title: character.repeat(1_024), body: character.repeat(32_768) };
    const { json } = encode({ ...text, link: url, icon: url, extras });
    assert.ok(Buffer.byteLength(json) < 64 * 1024, `${character.codePointAt(0)}`);
    const { message, title, priority } = JSON.parse(json);
    assert.equal(title, text.title);
    assert.equal(priority, 4);
    assert.ok(message.length > 5_000);
  }
});

test("no text adds a line to a stream of any format", () => {
  for (const text of [...HOSTILE_TEXTS, "a\r\nb\rc\nd\u2028e\u2029f\u0085g\vh\fi"]) {
    const body = text.toWellFormed();
    const event = encode({ title: body, body, extras: JSON.stringify({ tags: [body] }) });
    const lines = /[\n\v\f\r\u0085\u2028\u2029]/;
    assert.doesNotMatch(JSON_FORMAT.format(event).slice(0, -1), lines);
    assert.equal(JSON.parse(JSON_FORMAT.format(event)).message, body);
    const [data = "", end] = SSE_FORMAT.format(event).split("\n\n");
    assert.doesNotMatch(data, lines);
    assert.equal(end, "");
    assert.doesNotMatch(RAW_FORMAT.format(event).slice(0, -1), lines);
  }
});

test("each format writes messages and other events as ntfy does", () => {
  const message = encode({ body: "one\ntwo" });
  const open = encodeEvent({ id: "1", time: 2, event: "open", topic: "a,b" });
  const openJson = '{"id":"1","time":2,"event":"open","topic":"a,b"}';
  assert.equal(JSON_FORMAT.format(open), `${openJson}\n`);
  assert.equal(SSE_FORMAT.format(open), `event: open\ndata: ${openJson}\n\n`);
  assert.equal(RAW_FORMAT.format(open), "\n");
  assert.equal(SSE_FORMAT.format(message), `data: ${message.json}\n\n`);
  assert.equal(RAW_FORMAT.format(message), "one two\n");
});
