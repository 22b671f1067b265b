import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import test from "node:test";
import { insertPausedDevices } from "../contract/insert-paused-devices.ts";
import { requestJson, exchangeRaw, HELLO, post } from "../contract/http-requests.ts";
import { addDevice, signUp, startApp } from "../support/app.ts";

const PATH = "/api/v1/notify";

/** Returns whether the body has the length that Content-Length announces. */
function isComplete(text: string): boolean {
  const [header = "", body = ""] = text.split("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)/i.exec(header)?.[1];
  return length !== undefined && Buffer.byteLength(body) >= Number(length);
}

test("a response about 100 devices arrives in one piece", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await insertPausedDevices(app, ann, 100);
  const body = JSON.stringify(HELLO);
  const header = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nx-api-key: ${ann.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { chunks } = await exchangeRaw(app.url, `${header}${body}`, { isComplete });
  assert.equal(chunks.length, 1);
  const { responses } = JSON.parse(chunks.join("").split("\r\n\r\n")[1] ?? "");
  assert.equal(responses.length, 100);
});

test("a body whose Content-Length counts characters is rejected, and its rest does not affect other requests", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  // The Node-RED node sends the number of UTF-16 units as Content-Length, but writes all bytes.
  const body = JSON.stringify({ title: "K\u00fchlschrank", body: "T\u00fcr offen: 9 \u00b0C" });
  const header = `POST ${PATH} HTTP/1.1\r\nContent-Type: application/json\r\nx-api-key: ${ann.key}\r\nContent-Length: ${body.length}\r\nHost: push.techulus.com\r\nConnection: keep-alive\r\n\r\n`;
  const exchange = await exchangeRaw(app.url, `${header}${body}`);
  const [headerLines = "", responseBody = ""] = exchange.text.split("\r\n\r\n");
  assert.match(headerLines, /^HTTP\/1\.1 400 /);
  assert.equal(
    JSON.parse(responseBody.slice(0, responseBody.indexOf("}}") + 2)).error.code,
    "invalid_json",
  );
  assert.equal((await ann.client.notify(HELLO)).success, true);
  assert.equal((await phone.next()).text.includes(HELLO.title), true);
  assert.equal(phone.messages.length, 1);
});

test("Java's HTTP/2 upgrade with a body is answered in HTTP/1.1, and the connection stays usable", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const headers = {
    connection: "Upgrade, HTTP2-Settings",
    "http2-settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
    upgrade: "h2c",
    "user-agent": "Java-http-client/21.0.2",
    "content-type": "application/json",
  };
  const ports = new Set<number | undefined>();
  for (let count = 0; count < 2; count += 1) {
    const options = { method: "POST", agent, headers, signal: AbortSignal.timeout(10_000) };
    const pendingRequest = request(`${app.url}${PATH}/${ann.key}`, options);
    pendingRequest.end(JSON.stringify(HELLO));
    const [response]: IncomingMessage[] = await once(pendingRequest, "response");
    if (response === undefined) throw new Error("There is no response.");
    ports.add(response.socket.localPort);
    assert.deepEqual([response.statusCode, response.headers.upgrade], [200, undefined]);
    assert.match(await text(response), /Delivered to 1 of 1 device/);
  }
  assert.equal(ports.size, 1);
  assert.equal((await phone.waitForRequests(2)).length, 2);
});

test("a chunked body with a trailer and without a User-Agent is accepted", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const first = '{"title":"Hel';
  const rest = 'lo","body":"World"}';
  const chunks = [first, rest].map((part) => `${part.length.toString(16)};x=y\r\n${part}\r\n`);
  const exchange = await exchangeRaw(
    app.url,
    `POST ${PATH} HTTP/1.1\r\nHOST: x\r\nX-Api-KEY: ${key}\r\nCONTENT-TYPE: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: x-sum\r\n\r\n${chunks.join("")}0\r\nx-sum: 1\r\n\r\n`,
    { isComplete },
  );
  assert.match(exchange.text, /^HTTP\/1\.1 200 OK\r\n.*"responses":\[\]\}$/s);
});

test("an HTTP/1.0 client can reuse a keep-alive connection", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const body = JSON.stringify(HELLO);
  const request = `POST ${PATH}/${key} HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const hasTwoResponses = (received: string) => received.split('"responses":[]}').length === 3;
  const { text: responses } = await exchangeRaw(app.url, `${request}${request}`, {
    isComplete: hasTwoResponses,
  });
  assert.equal(responses.match(/ 200 OK\r\n/g)?.length, 2);
});

test("unknown query parameters are ignored", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  for (const method of ["GET", "POST"]) {
    const path = `${PATH}/${key}?title=a&body=b&priority=3&tags=&x%5B%5D=1&=nameless`;
    assert.equal((await requestJson(app.url, { method, path })).status, 200, method);
  }
});

test("the status is exactly 200 for every form of an accepted send", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device } = await addDevice(app, ann);
  const { id } = await ann.client.groups.create({ name: "All", deviceIds: [device.id] });
  for (const path of ["", "-async", `/${ann.key}`, `/group/${id}`]) {
    const response = await post(app.url, { key: ann.key, path: `${PATH}${path}`, body: HELLO });
    assert.deepEqual([response.status, JSON.parse(response.text).success], [200, true], path);
  }
  assert.equal(
    (await requestJson(app.url, { path: `${PATH}/${ann.key}?title=a&body=b` })).status,
    200,
  );
});
