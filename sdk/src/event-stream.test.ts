import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStreamParser } from "./event-stream.ts";

function parseChunks(...chunks: readonly string[]) {
  const parser = new EventStreamParser("");
  return { parser, events: chunks.flatMap((chunk) => parser.push(chunk)) };
}

test("data lines are joined, and one space after the colon is dropped", () => {
  const { events } = parseChunks("event: device\ndata: a\ndata:  b\ndata\ndata:c\n\n");
  assert.deepEqual(events, [{ name: "device", id: "", data: "a\n b\n\nc" }]);
});

test("lines end with CR, LF or CRLF, wherever the text is split", () => {
  const text = "id: 1\r\ndata: a\r\ndata: a\r\n\r\nid: 2\rdata: b\r\rid: 3\ndata: c\n\n";
  const wholeTextEvents = parseChunks(text).events;
  assert.deepEqual(
    wholeTextEvents.map(({ id, data }) => `${id}${data}`),
    ["1a\na", "2b", "3c"],
  );
  assert.deepEqual(parseChunks(...text.split("")).events, wholeTextEvents);
  for (let index = 0; index <= text.length; index += 1) {
    assert.deepEqual(parseChunks(text.slice(0, index), text.slice(index)).events, wholeTextEvents);
  }
});

test("an event that ends with a bare CR is returned before more text arrives", () => {
  assert.equal(parseChunks("data: a\r\r").events.length, 1);
});

test("an id applies to later events, an empty one clears it, one with NUL is ignored", () => {
  const { events, parser } = parseChunks(
    "id: 7\ndata: a\n\ndata: b\n\nid: 8\0\ndata: c\n\nid\ndata: d\n\n",
  );
  assert.deepEqual(
    events.map(({ id }) => id),
    ["7", "7", "7", ""],
  );
  assert.equal(parser.lastEventId, "");
});

test("an id takes effect only when its event is complete, with or without data", () => {
  const { parser, events } = parseChunks("id: 1\n\nid: 2\ndata: cut off\n");
  assert.equal(parser.lastEventId, "1");
  assert.deepEqual(events, []);
});

test("a resumed stream keeps its id until another arrives", () => {
  const parser = new EventStreamParser("41");
  assert.deepEqual(parser.push("data: a\n\n"), [{ name: "message", id: "41", data: "a" }]);
  assert.equal(parser.lastEventId, "41");
});

test("comments, unknown fields and events without data yield nothing and keep no name", () => {
  const { events } = parseChunks(": hello\nfoo: bar\nevent: device\n\ndata: a\n\n");
  assert.deepEqual(events, [{ name: "message", id: "", data: "a" }]);
});

test("retry accepts only digits", () => {
  assert.equal(parseChunks("retry: 1500\n").parser.retryMs, 1_500);
  assert.equal(parseChunks("retry: 15s\nretry: -1\nretry\n").parser.retryMs, null);
});

test("an endless event is rejected before it fills the memory", () => {
  const line = `data: ${"x".repeat(65_536)}\n`;
  // An event may have 1,048,576 characters, which are fewer than those of 17 such lines.
  const lineCount = 17;
  const parser = new EventStreamParser("");
  assert.throws(() => {
    for (let index = 0; index < lineCount; index += 1) parser.push(line);
  }, RangeError);
});
