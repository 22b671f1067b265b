import assert from "node:assert/strict";
import { test } from "node:test";
import { createMessageText, type TextSource } from "./message-text.ts";

function createText(
  source: Partial<Omit<TextSource, "body">> & { body?: string | Buffer },
): string {
  const {
    body = "",
    message = "",
    isComplete = true,
    fileName = "",
    linkedFileName = null,
  } = source;
  return createMessageText({
    message,
    body: Buffer.from(body),
    isComplete,
    fileName,
    linkedFileName,
  });
}

/** The signature of PNG (RFC 2083 section 3.1). */
const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

test("the text is the body, or the parameter if the body is empty", () => {
  assert.equal(createText({ body: " 42 GB\n", message: "other" }), "42 GB");
  assert.equal(createText({ body: " \n", message: "other" }), "other");
  assert.equal(createText({}), "triggered");
  assert.equal(createText({ body: "\u0001" }), "triggered");
});

test("a backslash and an n in the parameter stand for a line break", () => {
  assert.equal(createText({ message: String.raw`one\ntwo` }), "one\ntwo");
  assert.equal(createText({ body: String.raw`one\ntwo` }), String.raw`one\ntwo`);
});

test("the text names a file in the body, because the alert must arrive", () => {
  const lost = "You received a file: cat.jpg, which this server does not keep.";
  assert.equal(createText({ body: PICTURE, fileName: "cat.jpg" }), lost);
  assert.equal(createText({ body: "a text", fileName: "cat.jpg" }), lost);
  assert.equal(createText({ fileName: "cat.jpg" }), lost);
  const unnamed = "You received a file: attachment, which this server does not keep.";
  assert.equal(createText({ body: PICTURE }), unnamed);
  assert.equal(
    createText({ body: PICTURE, fileName: " cat\n.jpg", message: "Door" }),
    "Door\n(not kept: cat .jpg)",
  );
});

test("a message that links to a file has its body as text", () => {
  const linkedFileName = "flower.jpg";
  assert.equal(createText({ linkedFileName }), "You received a file: flower.jpg");
  assert.equal(createText({ linkedFileName, fileName: "flower.jpg", body: "Look" }), "Look");
});

test("a text has at most 32,768 characters, and says if it was longer", () => {
  const note = "\n(not kept: the rest of this text)";
  assert.equal(createText({ body: "😀".repeat(32_768) }), "😀".repeat(32_768));
  const text = createText({ body: "😀".repeat(32_769) });
  assert.equal(text, "😀".repeat(32_768 - note.length) + note);
  const named = createText({ message: "a".repeat(32_768), fileName: "f" });
  assert.equal(named.length, 32_768);
  assert.ok(named.endsWith("a\n(not kept: f)"));
});

test("a body that was cut within a character is still a text", () => {
  const body = Buffer.from("Höhe ü").subarray(0, -1);
  assert.equal(createText({ body, isComplete: false }), "Höhe\n(not kept: the rest of this text)");
  assert.equal(createText({ body }), "Höhe");
});

test("a text in Latin-1 is a text, also if it ends like the beginning of a character of UTF-8", () => {
  for (const text of ["Grüße aus Köln", "Café", "Ä", "20 °C\tin\r\n\u001b[1mBüro"]) {
    const body = Buffer.from(text, "latin1");
    assert.equal(createText({ body }), createText({ body: text }), text);
  }
  const body = Buffer.from("ü".repeat(40_000), "latin1");
  assert.match(
    createText({ body, isComplete: false }),
    /^ü+\n\(not kept: the rest of this text\)$/,
  );
  assert.match(createText({ body: Buffer.from("Köln\u0000", "latin1") }), /^You received a file/);
});
