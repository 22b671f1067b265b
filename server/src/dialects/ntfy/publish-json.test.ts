import assert from "node:assert/strict";
import { test } from "node:test";
import { NtfyError } from "./ntfy-error.ts";
import { createParameterReader, type NtfyParameter } from "./parameters.ts";
import { findTopic, parsePublishJson } from "./publish-json.ts";

const NOTHING = createParameterReader({ headers: {}, query: {} });

function parse(json: unknown, readOther = NOTHING) {
  return parsePublishJson(Buffer.from(JSON.stringify(json)), readOther);
}

test("the members of the JSON are parameters", () => {
  const { topic, text, read } = parse({
    topic: "mytopic",
    message: "Disk space is low at 5.1 GB",
    title: "Low disk space alert",
    tags: ["warning", "cd"],
    priority: 4,
    attach: "https://filesrv.lan/space.jpg",
    filename: "diskspace.jpg",
    click: "https://homecamera.lan/xasds1h2xsSsa/",
    icon: "https://styles.redditmedia.com/icon.png",
    markdown: true,
    sequence_id: "disk",
    actions: [{ action: "view", label: "Admin panel", url: "https://filesrv.lan/admin" }],
    cache: "no",
    other: 5,
  });
  assert.deepEqual([topic, text], ["mytopic", "Disk space is low at 5.1 GB"]);
  const expected: Partial<Record<NtfyParameter, string>> = {
    title: "Low disk space alert",
    tags: "warning,cd",
    priority: "4",
    attach: "https://filesrv.lan/space.jpg",
    filename: "diskspace.jpg",
    click: "https://homecamera.lan/xasds1h2xsSsa/",
    icon: "https://styles.redditmedia.com/icon.png",
    markdown: "true",
    sequenceId: "disk",
    actions: '[{"action":"view","label":"Admin panel","url":"https://filesrv.lan/admin"}]',
    email: "",
  };
  for (const [parameter, value] of Object.entries(expected)) {
    assert.equal(read(parameter as NtfyParameter), value, parameter);
  }
});

test("the members have any letter case, as in ntfy's example for PowerShell, and the last one counts", () => {
  const { topic, text, read } = parse({
    Topic: "mytopic",
    Message: "Disk space is low at 5.1 GB",
    Priority: 4,
    FileName: "diskspace.jpg",
    Tags: ["warning", "cd"],
    title: "first",
    TITLE: "last",
  });
  assert.deepEqual([topic, text], ["mytopic", "Disk space is low at 5.1 GB"]);
  const values = (["priority", "filename", "tags", "title"] as const).map((name) => read(name));
  assert.deepEqual(values, ["4", "diskspace.jpg", "warning,cd", "last"]);
  assert.equal(findTopic(Buffer.from('{"Topic":"mytopic"}')), "mytopic");
});

test("a priority is a number or a text, and 0 counts as absent", () => {
  const read = (priority: unknown) => parse({ topic: "t", priority }).read("priority");
  assert.deepEqual([5, "5", "high", 0, null].map(read), ["5", "5", "high", "", ""]);
});

test("a member that is not given is read from the request's other parameters", () => {
  const headers = { title: "from a header", tags: "from a header" };
  const other = createParameterReader({ headers, query: {} });
  const { read } = parse({ topic: "t", title: "from the JSON", tags: null }, other);
  assert.deepEqual([read("title"), read("tags")], ["from the JSON", "from a header"]);
});

test("the null and empty members that Home Assistant sends count as absent", () => {
  // Message.to_dict of aiontfy 0.8.6.
  const names = ["message", "title", "priority", "click", "attach", "icon", "filename", "delay"];
  const members = Object.fromEntries(
    [...names, "email", "call", "sequence_id"].map((name) => [name, null]),
  );
  const { text, read } = parse({ topic: "t", ...members, tags: [], actions: [], markdown: false });
  assert.equal(text, "");
  assert.deepEqual([read("tags"), read("delay"), read("call")], ["", "", ""]);
});

for (const json of [null, [], "text", { topic: "t", title: 5 }, { topic: "t", tags: [5] }]) {
  test(`other JSON is refused with 40017: ${JSON.stringify(json)}`, () => {
    assert.throws(() => parse(json), isNtfyError(40017));
  });
}

for (const body of ["", "{", "\u00ff", "[".repeat(50)]) {
  test(`a body that is not JSON is refused with 40017: ${JSON.stringify(body)}`, () => {
    assert.throws(() => parsePublishJson(Buffer.from(body, "latin1"), NOTHING), isNtfyError(40017));
  });
}

for (const topic of [undefined, null, "", "a b", "a/b", "ä", "a".repeat(65), 5]) {
  test(`the topic ${JSON.stringify(topic)} is refused with 40009`, () => {
    assert.throws(() => parse({ topic, message: "x" }), isNtfyError(40009));
  });
}

test("JSON that is no UTF-8 is Latin-1, as Windows PowerShell sends it", () => {
  const body = Buffer.from('{"topic":"t","message":"Äpfel"}', "latin1");
  assert.equal(parsePublishJson(body, NOTHING).text, "Äpfel");
  assert.equal(findTopic(body), "t");
});

test("the topic of a body that is not a JSON object is empty", () => {
  for (const body of ["", "{", "[]", '{"topic":"a b"}']) {
    assert.equal(findTopic(Buffer.from(body)), "");
  }
  assert.equal(findTopic(Buffer.from('{"topic":"t"}')), "t");
});

function isNtfyError(code: number) {
  return (error: unknown) => error instanceof NtfyError && error.ntfyCode === code;
}
