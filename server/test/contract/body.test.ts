import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import test from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import {
  requestJson,
  parseErrorCode,
  toComparable,
  exchangeRaw,
  HELLO,
  post,
  type NotificationPost,
} from "./http-requests.ts";

const HELLO_JSON = JSON.stringify(HELLO);
const BODY_MAX_BYTES = 256 * 1_024;

/** Returns a valid JSON body of exactly this many bytes. */
function createBody(bytes: number): string {
  const padding = bytes - JSON.stringify({ ...HELLO, x: "" }).length;
  return JSON.stringify({ ...HELLO, x: "x".repeat(padding) });
}

/** Returns a valid JSON body with this nesting depth. */
const createNestedBody = (depth: number) =>
  `{"title":"a","body":"b","x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

test("application/json is accepted in any letter case and with any parameters", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const types = [
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=utf-8",
    "Application/JSON; Charset=UTF-8",
    'application/json; charset="utf-8"; profile=x',
    "application/json;",
  ];
  for (const type of types) {
    const response = await post(app.url, {
      key,
      headers: { "content-type": type },
      body: HELLO_JSON,
    });
    assert.equal(response.status, 200, type);
  }
});

test("a body with another content type or none is 400 unsupported_content_type", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const types = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonx",
    "application/problem+json",
    "text/json",
    "json",
    "",
  ];
  for (const headers of [{}, ...types.map((type) => ({ "content-type": type }))]) {
    const response = await post(app.url, { key, headers, body: HELLO_JSON });
    const name = JSON.stringify(headers);
    assert.deepEqual(
      [response.status, parseErrorCode(response)],
      [400, "unsupported_content_type"],
      name,
    );
  }
});

test("a body that is not a JSON object is 400 invalid_json, and the response does not quote it", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const bodies: readonly (readonly [name: string, body: string | Uint8Array])[] = [
    ["nothing", ""],
    ["white space", "  "],
    ["a broken object", '{"title":"zebra'],
    ["trailing garbage", `${HELLO_JSON}zebra`],
    ["a second object", `${HELLO_JSON}${HELLO_JSON}`],
    ["single quotes", "{'title':'zebra','body':'b'}"],
    ["a trailing comma", '{"title":"zebra","body":"b",}'],
    ["a raw newline in a string", '{"title":"zebra\n","body":"b"}'],
    ["NaN", "NaN"],
    ["null", "null"],
    ["a string", '"zebra"'],
    ["a list", `[${HELLO_JSON}]`],
    ["invalid UTF-8", Buffer.from('{"title":"zebra\xff","body":"b"}', "latin1")],
    ["a truncated character", Buffer.from('{"title":"\u{1f514}').subarray(0, -1)],
    ["nine levels", createNestedBody(9)],
  ];
  const headers = { "content-type": "application/json" };
  for (const [name, body] of bodies) {
    const response = await post(app.url, { key, headers, body });
    assert.deepEqual([response.status, parseErrorCode(response)], [400, "invalid_json"], name);
    assert.ok(!response.text.includes("zebra"), name);
  }
  const eightLevels = await post(app.url, { key, headers, body: createNestedBody(8) });
  const withByteOrderMark = await post(app.url, { key, headers, body: `\ufeff${HELLO_JSON}` });
  assert.deepEqual([eightLevels.status, withByteOrderMark.status], [200, 200]);
});

test("brackets in strings do not count as nesting", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const body = { title: `\\"${"[{".repeat(50)}`, body: "]".repeat(50) };
  assert.equal((await post(app.url, { key, body })).status, 200);
});

test("a body of 256 KiB is accepted and one byte more is 400 body_too_large, with or without Content-Length", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  for (const headers of [{}, { "transfer-encoding": "chunked" }]) {
    const validPost: NotificationPost = {
      key,
      headers: { "content-type": "application/json", ...headers },
    };
    const largestBodyResponse = await post(app.url, {
      ...validPost,
      body: createBody(BODY_MAX_BYTES),
    });
    assert.equal(largestBodyResponse.status, 200);
    const tooLargeResponse = await post(app.url, {
      ...validPost,
      body: createBody(BODY_MAX_BYTES + 1),
    });
    assert.deepEqual(
      [tooLargeResponse.status, parseErrorCode(tooLargeResponse)],
      [400, "body_too_large"],
    );
  }
});

test("the sender of an 8 MB body can write all of it, read the response and reuse the connection", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const ports: (number | undefined)[] = [];
  const headers = { "x-api-key": key, "content-type": "application/json" };
  for (const [body, status] of [
    [createBody(8_000_000), 400] as const,
    [HELLO_JSON, 200] as const,
  ]) {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const clientRequest = request(`${app.url}/api/v1/notify`, { method: "POST", agent, headers });
    clientRequest.on("error", reject);
    clientRequest.on("socket", (socket) =>
      socket.once("connect", () => ports.push(socket.localPort)).on("error", reject),
    );
    clientRequest.on("response", (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    });
    clientRequest.end(body);
    assert.equal(await promise, status);
  }
  assert.equal(ports.length, 1);
});

test("a truncated body is 400 in JSON, and sends nothing", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  const headerLines = `POST /api/v1/notify HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\n`;
  // Bypasses nginx, which stands before the server in some runs and would close its side too.
  const truncatedExchange = await exchangeRaw(
    app.ownUrl,
    `${headerLines}Content-Length: ${HELLO_JSON.length + 9}\r\n\r\n${HELLO_JSON}`,
    {
      endsInput: true,
    },
  );
  assert.match(
    truncatedExchange.text,
    /^HTTP\/1\.1 400 .*\r\n\r\n\{"success":false,.*"requestId"/s,
  );
  const shortLengthExchange = await exchangeRaw(
    app.url,
    `${headerLines}Content-Length: ${HELLO_JSON.length - 2}\r\n\r\n${HELLO_JSON}\r\n`,
  );
  assert.match(shortLengthExchange.text, /^HTTP\/1\.1 400 .*"code":"invalid_json"/s);
  assert.deepEqual((await client.notifications.list()).items, []);
  assert.equal((await post(app.url, { key, body: HELLO })).status, 200);
});

test("garbage after a valid request does not affect its response", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const { text } = await exchangeRaw(
    app.url,
    `POST /api/v1/notify/${ann.key} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${HELLO_JSON.length}\r\n\r\n${HELLO_JSON}garbage\r\n\r\n`,
  );
  assert.match(text, /^HTTP\/1\.1 200 OK.*Delivered to 1 of 1 device.*HTTP\/1\.1 400 Bad Request/s);
  assert.equal(phone.messages.length, 1);
});

test("the key is checked before the body", async (t) => {
  const app = await startApp(t);
  const bodies = ["{broken", createBody(BODY_MAX_BYTES + 1), ""];
  const responses = await Promise.all(
    bodies.map((body) => post(app.url, { key: "<API_KEY>", body })),
  );
  assert.equal(new Set(responses.map(toComparable)).size, 1);
  const withoutKey = await requestJson(app.url, {
    method: "POST",
    path: "/api/v1/notify",
    body: "{broken",
  });
  assert.equal(parseErrorCode(withoutKey), "missing_key");
});
