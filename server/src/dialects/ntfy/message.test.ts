import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNtfyMessage } from "./message.ts";
import { NtfyError } from "./ntfy-error.ts";
import { createParameterReader } from "./parameters.ts";

function parse(headers: Readonly<Record<string, string>>, body = "") {
  const read = createParameterReader({ headers, query: {} });
  return parseNtfyMessage({ topic: "t", read, body: Buffer.from(body), isComplete: true });
}

test("a message without parameters has only its text", () => {
  assert.deepEqual(parse({}, "42 GB"), {
    topic: "t",
    title: "",
    text: "42 GB",
    priority: null,
    tags: [],
    click: "",
    icon: "",
    attachment: null,
    actions: [],
    isMarkdown: false,
    sequenceId: "",
  });
});

test("an attachment has the name in the parameter, otherwise the one in its URL", () => {
  const attach = "https://a.example/pictures/flower.jpg?size=2";
  assert.deepEqual(parse({ attach }).attachment, { name: "flower.jpg", url: attach });
  assert.equal(parse({ attach }).text, "You received a file: flower.jpg");
  assert.equal(parse({ attach, filename: "rose.jpg" }).attachment?.name, "rose.jpg");
  assert.equal(parse({ attach: "https://a.example" }).attachment?.name, "attachment");
});

test("Markdown is a parameter or a content type", () => {
  for (const markdown of ["1", "yes", "TRUE"]) assert.equal(parse({ markdown }).isMarkdown, true);
  for (const markdown of ["0", "no", "x"]) assert.equal(parse({ markdown }).isMarkdown, false);
  const isMarkdown = (type: string) => parse({ "content-type": type }).isMarkdown;
  assert.equal(isMarkdown("Text/Markdown; charset=utf-8"), true);
  assert.equal(isMarkdown("application/x-www-form-urlencoded"), false);
});

test("an invalid sequence id is ignored", () => {
  assert.equal(parse({ "x-sequence-id": "backup-1" }).sequenceId, "backup-1");
  assert.equal(parse({ "x-sequence-id": "a b" }).sequenceId, "");
});

/** Parameters with the code for which each is refused. */
const REFUSED: readonly (readonly [headers: Readonly<Record<string, string>>, code: number])[] = [
  [{ email: "ann@example.org" }, 40001],
  [{ call: "yes" }, 40032],
  [{ call: "+4912345" }, 40032],
  [{ in: "30m" }, 40004],
  [{ template: "github" }, 40045],
  [{ priority: "6" }, 40007],
  [{ attach: "file:///etc/passwd" }, 40013],
  [{ icon: "javascript:alert(1)" }, 40021],
  [{ actions: "x" }, 40018],
];

for (const [headers, code] of REFUSED) {
  test(`a message with ${JSON.stringify(headers)} is refused with ${code}`, () => {
    assert.throws(
      () => parse(headers, "text"),
      (error) => error instanceof NtfyError && error.ntfyCode === code,
    );
  });
}

test("parameters that are set to no, and those of the cache, are ignored", () => {
  const headers = { call: "no", template: "0", cache: "no", firebase: "no" };
  assert.equal(parse(headers, "text").text, "text");
});
