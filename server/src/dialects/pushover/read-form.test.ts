import assert from "node:assert/strict";
import { test } from "node:test";
import { readForm } from "./read-form.ts";

const BOUNDARY = "4f2c";
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
const FORM = "application/x-www-form-urlencoded";

function read(text: string, contentType: string, isComplete: boolean) {
  const body = { bytes: Buffer.from(text, "latin1"), isComplete };
  return readForm({ body, contentType, query: {} });
}

function createPart(name: string, value: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

test("the fields before a picture are read, although its end is missing", async () => {
  const fields = `${createPart("message", "42 GB")}${createPart("user", "u")}`;
  const picture = createPart("attachment", "\xff\xd8".repeat(1_000)).slice(0, -100);
  for (const contentType of [MULTIPART, `multipart/form-data; boundary="${BOUNDARY}"`]) {
    const field = await read(`${fields}${picture}`, contentType, false);
    assert.deepEqual([field("message"), field("user")], ["42 GB", "u"]);
    assert.equal(field("attachment"), undefined);
  }
  const field = await read("message=42+GB&user=u&attachment_base64=AAAA", FORM, false);
  assert.deepEqual(
    [field("message"), field("user"), field("attachment_base64")],
    ["42 GB", "u", undefined],
  );
});

test("a body that has no complete field within the limit is too large", async () => {
  const picture = createPart("attachment", "\xff\xd8".repeat(1_000)).slice(0, -100);
  await assert.rejects(read(picture, MULTIPART, false), { code: "body_too_large" });
  await assert.rejects(read('{"message":"', "application/json", false), { code: "body_too_large" });
});
