import assert from "node:assert/strict";
import { once } from "node:events";
import {
  connect,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
} from "node:http2";
import { request } from "node:https";
import { test, type TestContext } from "node:test";
import { connect as connectTls } from "node:tls";
import { FcmClient } from "./fcm-client.ts";
import { FcmService, type FcmServiceOptions } from "./fcm-service.ts";
import { SimulatedAndroid } from "./simulated-android.ts";

async function setUp(t: TestContext, options: FcmServiceOptions = {}) {
  const service = await FcmService.start(options);
  const client = new FcmClient(service);
  const token = await client.fetchAccessToken();
  await client.close();
  t.after(() => service.close());
  return { service, token, phone: new SimulatedAndroid(service) };
}

type Fixture = Awaited<ReturnType<typeof setUp>>;

/** Opens an HTTP/2 connection with Node's client, which does not limit its streams. */
function openHttp2Session(
  { service }: Fixture,
  options: ClientSessionOptions = {},
): ClientHttp2Session {
  const session = connect(service.origin, { ca: service.ca, ...options });
  session.on("error", () => undefined);
  return session;
}

function postMessage(
  { service, token, phone }: Fixture,
  session: ClientHttp2Session,
): ClientHttp2Stream {
  const stream = session.request({
    ":method": "POST",
    ":path": `/v1/projects/${service.projectId}/messages:send`,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  });
  stream.on("error", () => undefined);
  stream.end(JSON.stringify({ message: { token: phone.token } }));
  return stream;
}

/** Resolves with the stream's status, null if there is none, and the error code with which the stream ended. */
async function awaitEnd(stream: ClientHttp2Stream) {
  let status: number | null = null;
  stream.on("response", (headers) => {
    status = headers[":status"] ?? null;
  });
  stream.resume();
  await awaitClose(stream);
  return { status, code: stream.rstCode };
}

/** Resolves on close, even after an error, where `once` would reject. */
async function awaitClose(emitter: {
  on(event: "close", listener: () => void): unknown;
}): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  emitter.on("close", resolve);
  await promise;
}

/** Resolves with the code and reason of a GOAWAY, even if an error follows. */
async function waitForGoaway(session: ClientHttp2Session) {
  const { promise, resolve } = Promise.withResolvers<{ code: number; reason: string }>();
  session.on("goaway", (code, _last, reason) => resolve({ code, reason: String(reason ?? "") }));
  return promise;
}

const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;
const REFUSED_STREAM = 7;

test("concurrent requests are counted per connection", async (t) => {
  const fixture = await setUp(t);
  const gate = Promise.withResolvers<void>();
  fixture.phone.script(
    ...Array.from({ length: 3 }, () => ({ kind: "verdict", after: gate.promise }) as const),
  );
  const session = openHttp2Session(fixture);
  const streams = [1, 2, 3].map(() => awaitEnd(postMessage(fixture, session)));
  await fixture.service.waitForRequests(3);
  gate.resolve();
  assert.deepEqual(
    (await Promise.all(streams)).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await awaitEnd(postMessage(fixture, session))).status, 200);
  const connection = fixture.service.frontEnd.connections.at(-1);
  const { protocol, requestCount, concurrentRequestsMax, isOpen } = connection ?? {};
  assert.deepEqual([protocol, requestCount, concurrentRequestsMax, isOpen], ["h2", 4, 3, true]);
  const path = `/v1/projects/${fixture.service.projectId}/messages:send`;
  assert.deepEqual(connection?.paths, new Set([path]));
  assert.deepEqual(fixture.service.frontEnd.violations, []);
});

test("exceeding an unannounced limit ends the connection with Google's reason, and is a violation", async (t) => {
  const fixture = await setUp(t, { maxConcurrentStreams: 5, announcesLimit: false });
  fixture.phone.script(...Array.from({ length: 6 }, () => ({ kind: "hang" }) as const));
  const session = openHttp2Session(fixture);
  const goaway = waitForGoaway(session);
  const streams = Array.from({ length: 6 }, () => awaitEnd(postMessage(fixture, session)));
  const reason = "exceeded_max_concurrent_streams";
  assert.deepEqual(await goaway, { code: PROTOCOL_ERROR, reason });
  await Promise.all(streams);
  assert.deepEqual(fixture.service.frontEnd.violations, ["6 concurrent streams"]);
});

test("the limit is announced, and exceeding it is a violation", async (t) => {
  const fixture = await setUp(t, { maxConcurrentStreams: 5 });
  const session = openHttp2Session(fixture);
  await once(session, "remoteSettings");
  assert.equal(session.remoteSettings.maxConcurrentStreams, 5);
  await openStreams(fixture, 6);
  assert.equal(fixture.service.frontEnd.violations.length, 1);
});

/** Frame types and flags (RFC 9113 section 6). */
const HEADERS_TYPE = 1;
const SETTINGS_TYPE = 4;
const ACK_FLAG = 0x1;
const END_HEADERS_FLAG = 0x4;
const FRAME_HEADER_BYTES = 9;
const NO_BYTES = Buffer.alloc(0);

/** Acknowledges the settings and opens streams with frames of its own, because no client exceeds the limit. */
async function openStreams({ service }: Fixture, count: number): Promise<void> {
  const { ca } = service;
  const { port } = service.frontEnd;
  const socket = connectTls({ host: "127.0.0.1", port, ca, ALPNProtocols: ["h2"] });
  await once(socket, "secureConnect");
  socket.on("error", () => undefined);
  const encodeFrame = (type: number, flags: number, streamId: number, body: Buffer): Buffer => {
    const header = Buffer.alloc(FRAME_HEADER_BYTES);
    header.writeUIntBE(body.length, 0, 3);
    header.writeUInt8(type, 3);
    header.writeUInt8(flags, 4);
    header.writeUInt32BE(streamId, 5);
    return Buffer.concat([header, body]);
  };
  const settings = encodeFrame(SETTINGS_TYPE, 0, 0, NO_BYTES);
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings]));
  await once(socket, "data");
  socket.write(encodeFrame(SETTINGS_TYPE, ACK_FLAG, 0, NO_BYTES));
  // POST https / from the static table (RFC 7541 appendix A). Without END_STREAM, the streams stay open.
  const headers = Buffer.of(0x83, 0x87, 0x84);
  for (let index = 0; index < count; index += 1) {
    // Streams that clients open have odd numbers.
    const streamId = 2 * index + 1;
    socket.write(encodeFrame(HEADERS_TYPE, END_HEADERS_FLAG, streamId, headers));
  }
  socket.resume();
  await awaitClose(socket);
}

test("GOAWAY refuses the request or, if the script says so, still processes it", async (t) => {
  const fixture = await setUp(t);
  fixture.phone.script({ kind: "goaway", isProcessed: false });
  const first = await awaitEnd(postMessage(fixture, openHttp2Session(fixture)));
  assert.deepEqual(first, { status: null, code: REFUSED_STREAM });
  const usedSession = openHttp2Session(fixture);
  assert.equal((await awaitEnd(postMessage(fixture, usedSession))).status, 200);
  fixture.phone.script({ kind: "goaway", isProcessed: false });
  const third = await awaitEnd(postMessage(fixture, usedSession));
  assert.deepEqual(third, { status: null, code: REFUSED_STREAM });
  assert.equal(fixture.phone.deliveries.length, 1);
  fixture.phone.script({ kind: "goaway", isProcessed: true, reason: "bye" });
  const session = openHttp2Session(fixture);
  const goaway = waitForGoaway(session);
  assert.deepEqual(await awaitEnd(postMessage(fixture, session)), { status: 200, code: NO_ERROR });
  assert.equal(fixture.phone.deliveries.length, 2);
  assert.deepEqual(await goaway, { code: NO_ERROR, reason: "bye" });
});

test("a graceful GOAWAY still answers pending requests", async (t) => {
  const fixture = await setUp(t);
  const gate = Promise.withResolvers<void>();
  fixture.phone.script({ kind: "verdict", after: gate.promise });
  const session = openHttp2Session(fixture);
  const goaway = waitForGoaway(session);
  const stream = awaitEnd(postMessage(fixture, session));
  await fixture.service.waitForRequests(1);
  fixture.service.frontEnd.goaway();
  assert.equal((await goaway).code, NO_ERROR);
  gate.resolve();
  assert.equal((await stream).status, 200);
});

test("a stream or the whole connection can be reset before or after the headers", async (t) => {
  const fixture = await setUp(t);
  const session = openHttp2Session(fixture);
  fixture.phone.script(
    { kind: "reset-stream", when: "before-headers", code: REFUSED_STREAM },
    { kind: "reset-stream", when: "after-headers" },
    { kind: "reset-stream", when: "before-headers", delivers: true },
    { kind: "reset-connection", when: "after-headers" },
  );
  assert.deepEqual(await awaitEnd(postMessage(fixture, session)), {
    status: null,
    code: REFUSED_STREAM,
  });
  assert.equal((await awaitEnd(postMessage(fixture, session))).status, 200);
  assert.equal(fixture.phone.deliveries.length, 0);
  assert.equal((await awaitEnd(postMessage(fixture, session))).status, null);
  assert.equal(fixture.phone.deliveries.length, 1);
  assert.equal(session.closed, false);
  assert.equal((await awaitEnd(postMessage(fixture, session))).status, 200);
  assert.equal(session.destroyed, true);
  assert.equal(fixture.service.frontEnd.connections.at(-1)?.isOpen, false);
});

test("connections can be refused, accepted again and cut", async (t) => {
  const fixture = await setUp(t);
  const idleSession = openHttp2Session(fixture);
  assert.equal((await awaitEnd(postMessage(fixture, idleSession))).status, 200);
  fixture.service.frontEnd.refuseConnections();
  const [error] = await once(openHttp2Session(fixture), "error");
  assert.equal(error.code, "ECONNREFUSED");
  assert.equal((await awaitEnd(postMessage(fixture, idleSession))).status, 200);
  await fixture.service.frontEnd.acceptConnections();
  assert.equal((await awaitEnd(postMessage(fixture, openHttp2Session(fixture)))).status, 200);
  fixture.service.frontEnd.cutConnections();
  await awaitClose(idleSession);
});

test("HTTP/1.1 is supported, and a stream reset cuts its connection", async (t) => {
  const fixture = await setUp(t);
  const { service, token, phone } = fixture;
  const sendMessage = async (): Promise<number | undefined> => {
    const path = `/v1/projects/${service.projectId}/messages:send`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(`${service.origin}${path}`, { method: "POST", ca: service.ca, headers });
    sent.end(JSON.stringify({ message: { token: phone.token } }));
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  };
  assert.equal(await sendMessage(), 200);
  assert.equal(service.frontEnd.connections.at(-1)?.protocol, "http/1.1");
  phone.script({ kind: "reset-stream", when: "before-headers" });
  await assert.rejects(sendMessage(), { code: "ECONNRESET" });
});

test("a request without an answer is logged, and ends when the service is closed", async (t) => {
  const fixture = await setUp(t);
  fixture.phone.script({ kind: "hang" });
  const stream = awaitEnd(postMessage(fixture, openHttp2Session(fixture)));
  await fixture.service.waitForRequests(1);
  await fixture.service.close();
  assert.equal((await stream).status, null);
});
