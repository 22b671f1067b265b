import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppError } from "#errors.ts";
import { readMessage } from "./read-message.ts";

const MESSAGE = { message: "42 GB", title: "Backup", priority: 5, extras: null };

function read(text: string | null, contentType: string, query: Record<string, unknown> = {}) {
  const bytes = text === null ? null : Buffer.from(text);
  return readMessage({ bytes, contentType, query });
}

test("a message is read from JSON, a form, a multipart form and a query", async () => {
  const json = '{"message":"42 GB","title":"Backup","priority":5}';
  assert.deepEqual(await read(json, "application/json; charset=UTF-8"), MESSAGE);
  const form = "message=42+GB&title=Backup&priority=5";
  assert.deepEqual(await read(form, "application/x-www-form-urlencoded"), MESSAGE);
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts = [part("message", "42 GB"), part("title", "Backup"), part("priority", "5")];
  const multipart = `${parts.join("")}--b--\r\n`;
  assert.deepEqual(await read(multipart, "multipart/form-data; boundary=b"), MESSAGE);
  const query = { message: "42 GB", title: ["Backup", "other"], priority: "5", token: "secret" };
  assert.deepEqual(await read(null, "", query), MESSAGE);
  assert.deepEqual(await read("message=from+body", "", query), {
    ...MESSAGE,
    message: "from body",
  });
});

test("the members of JSON have any letter case, and those of the extras keep theirs", async () => {
  const json = '{"Message":"42 GB","TITLE":"Backup","Priority":5,"Extras":{"App::Kind":1}}';
  assert.deepEqual(await read(json, "application/json"), {
    ...MESSAGE,
    extras: { "App::Kind": 1 },
  });
});

test("a message needs neither a title nor a priority", async () => {
  const expected = { ...MESSAGE, title: "", priority: null };
  assert.deepEqual(await read('{"message":"42 GB","title":null}', "application/json"), expected);
});

test("JSON that is no UTF-8 is Latin-1", async () => {
  const bytes = Buffer.from('{"message":"Äpfel"}', "latin1");
  const { message } = await readMessage({ bytes, contentType: "application/json", query: {} });
  assert.equal(message, "Äpfel");
});

test("extras are an object, and only JSON can contain them", async () => {
  const json = '{"message":"m","extras":{"client::display":{"contentType":"text/markdown"}}}';
  const { extras } = await read(json, "application/json");
  assert.deepEqual(extras, { "client::display": { contentType: "text/markdown" } });
  assert.equal((await read('{"message":"m","extras":[1]}', "application/json")).extras, null);
});

test("extras may be nested far deeper than a body of our own API, but not without end", async () => {
  const nest = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const createBody = (depth: number) => `{"message":"m","extras":${nest(depth)}}`;
  const { extras } = await read(createBody(99), "application/json");
  assert.equal(JSON.stringify(extras), nest(99));
  await assert.rejects(
    read(createBody(100), "application/json"),
    (error: AppError) => error.code === "invalid_json",
  );
});

test("a message that cannot be read is refused", async () => {
  const json = "application/json";
  for (const [text, contentType, code] of [
    [null, "", "invalid_field"],
    ["{}", json, "invalid_field"],
    ['{"message":""}', json, "invalid_field"],
    ['{"message":7}', json, "invalid_field"],
    ['{"message":"m","priority":"high"}', json, "invalid_field"],
    ['{"message":"m","priority":1.5}', json, "invalid_field"],
    ['{"message":"m","priority":true}', json, "invalid_field"],
    ['{"message":', json, "invalid_json"],
    ['"message"', json, "invalid_json"],
    ["nothing", "multipart/form-data; boundary=b", "invalid_request"],
  ] as const) {
    await assert.rejects(read(text, contentType), { code }, String(text));
  }
  await assert.rejects(read("{}", json), { message: "Field 'message' is required" });
});

test("a JSON member is never read from a prototype", async () => {
  await assert.rejects(read('{"__proto__":{"message":"m"}}', "application/json"), {
    code: "invalid_field",
  });
});
