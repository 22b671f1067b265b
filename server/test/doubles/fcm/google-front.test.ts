import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream, ClientSessionOptions } from "node:http2";
import { request } from "node:https";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect as connectTls } from "node:tls";
import { FcmClient } from "./fcm-client.ts";
import { FcmService } from "./fcm-service.ts";
import type { FcmServiceOptions } from "./fcm-service.ts";
import { SimulatedAndroid } from "./simulated-android.ts";

async function stage(t: TestContext, options: FcmServiceOptions = {}) {
  const service = await FcmService.start(options);
  const client = new FcmClient(service);
  const token = await client.token();
  await client.close();
  t.after(() => service.close());
  return { service, token, phone: new SimulatedAndroid(service) };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** One HTTP/2 connection of Node's own client, which opens as many streams as it is told to. */
function dial({ service }: Stage, options: ClientSessionOptions = {}): ClientHttp2Session {
  const session = connect(service.origin, { ca: service.ca, ...options });
  session.on("error", () => undefined);
  return session;
}

function post({ service, token, phone }: Stage, session: ClientHttp2Session): ClientHttp2Stream {
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

/** Resolves with the status, or with null where the stream ends without, and the code that it ended with. */
async function ended(stream: ClientHttp2Stream) {
  let status: number | null = null;
  stream.on("response", (headers) => {
    status = headers[":status"] ?? null;
  });
  stream.resume();
  await closed(stream);
  return { status, code: stream.rstCode };
}

/** Resolves when it closes, be it with an error: `once` would reject. */
async function closed(it: { on(event: "close", listener: () => void): unknown }): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  it.on("close", resolve);
  await promise;
}

/** Resolves with the code and the reason of a GOAWAY, which may come with an error. */
async function goneAway(session: ClientHttp2Session) {
  const { promise, resolve } = Promise.withResolvers<{ code: number; reason: string }>();
  session.on("goaway", (code, _last, reason) => resolve({ code, reason: String(reason ?? "") }));
  return promise;
}

const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;
const REFUSED_STREAM = 7;

test("requests that wait side by side are counted, per connection", async (t) => {
  const at = await stage(t);
  const gate = Promise.withResolvers<void>();
  at.phone.script(
    ...Array.from({ length: 3 }, () => ({ kind: "verdict", after: gate.promise }) as const),
  );
  const session = dial(at);
  const streams = [1, 2, 3].map(() => ended(post(at, session)));
  await at.service.received(3);
  gate.resolve();
  assert.deepEqual(
    (await Promise.all(streams)).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await ended(post(at, session))).status, 200);
  const connection = at.service.front.connections.at(-1);
  const { protocol, requests, mostConcurrent, isOpen } = connection ?? {};
  assert.deepEqual([protocol, requests, mostConcurrent, isOpen], ["h2", 4, 3, true]);
  const path = `/v1/projects/${at.service.projectId}/messages:send`;
  assert.deepEqual(connection?.paths, new Set([path]));
  assert.deepEqual(at.service.front.violations, []);
});

test("an excess over a limit that was not announced ends the connection as at Google", async (t) => {
  const at = await stage(t, { maxConcurrentStreams: 5, announcesLimit: false });
  at.phone.script(...Array.from({ length: 6 }, () => ({ kind: "hang" }) as const));
  const session = dial(at);
  const goaway = goneAway(session);
  const streams = Array.from({ length: 6 }, () => ended(post(at, session)));
  const reason = "exceeded_max_concurrent_streams";
  assert.deepEqual(await goaway, { code: PROTOCOL_ERROR, reason });
  await Promise.all(streams);
  assert.deepEqual(at.service.front.violations, ["6 concurrent streams"]);
});

test("the announced limit is told, and an excess over it is a violation", async (t) => {
  const at = await stage(t, { maxConcurrentStreams: 5 });
  const session = dial(at);
  await once(session, "remoteSettings");
  assert.equal(session.remoteSettings.maxConcurrentStreams, 5);
  await overflow(at, 6);
  assert.equal(at.service.front.violations.length, 1);
});

/** Speaks HTTP/2 by hand, because no client does what is forbidden: acknowledges the settings and opens streams. */
async function overflow({ service }: Stage, count: number): Promise<void> {
  const { ca } = service;
  const { port } = service.front;
  const socket = connectTls({ host: "127.0.0.1", port, ca, ALPNProtocols: ["h2"] });
  await once(socket, "secureConnect");
  socket.on("error", () => undefined);
  const frame = (type: number, flags: number, stream: number, body: Buffer): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(body.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, body]);
  };
  const settings = frame(4, 0, 0, Buffer.alloc(0));
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings]));
  await once(socket, "data");
  socket.write(frame(4, 1, 0, Buffer.alloc(0)));
  // POST https / out of the static table (RFC 7541 appendix A), headers ended and stream open.
  const headers = Buffer.of(0x83, 0x87, 0x84);
  for (let at = 0; at < count; at += 1) socket.write(frame(1, 4, 2 * at + 1, headers));
  socket.resume();
  await closed(socket);
}

test("GOAWAY leaves out the request, or takes it and refuses the later ones", async (t) => {
  const at = await stage(t);
  at.phone.script({ kind: "go-away", isProcessed: false });
  const first = await ended(post(at, dial(at)));
  assert.deepEqual(first, { status: null, code: REFUSED_STREAM });
  const used = dial(at);
  assert.equal((await ended(post(at, used))).status, 200);
  at.phone.script({ kind: "go-away", isProcessed: false });
  const third = await ended(post(at, used));
  assert.deepEqual(third, { status: null, code: REFUSED_STREAM });
  assert.equal(at.phone.deliveries.length, 1);
  at.phone.script({ kind: "go-away", isProcessed: true, reason: "bye" });
  const session = dial(at);
  const goaway = goneAway(session);
  assert.deepEqual(await ended(post(at, session)), { status: 200, code: NO_ERROR });
  assert.equal(at.phone.deliveries.length, 2);
  assert.deepEqual(await goaway, { code: NO_ERROR, reason: "bye" });
});

test("the whole service goes away gently: what is under way is answered", async (t) => {
  const at = await stage(t);
  const gate = Promise.withResolvers<void>();
  at.phone.script({ kind: "verdict", after: gate.promise });
  const session = dial(at);
  const goaway = goneAway(session);
  const stream = ended(post(at, session));
  await at.service.received(1);
  at.service.front.goAway();
  assert.equal((await goaway).code, NO_ERROR);
  gate.resolve();
  assert.equal((await stream).status, 200);
});

test("one stream is reset, or the whole connection cut, before or after the headers", async (t) => {
  const at = await stage(t);
  const session = dial(at);
  at.phone.script(
    { kind: "reset", when: "before-headers", code: REFUSED_STREAM },
    { kind: "reset", when: "after-headers" },
    { kind: "reset", when: "before-headers", delivers: true },
    { kind: "cut", when: "after-headers" },
  );
  assert.deepEqual(await ended(post(at, session)), { status: null, code: REFUSED_STREAM });
  assert.equal((await ended(post(at, session))).status, 200);
  assert.equal(at.phone.deliveries.length, 0);
  assert.equal((await ended(post(at, session))).status, null);
  assert.equal(at.phone.deliveries.length, 1);
  assert.equal(session.closed, false);
  assert.equal((await ended(post(at, session))).status, 200);
  assert.equal(session.destroyed, true);
  assert.equal(at.service.front.connections.at(-1)?.isOpen, false);
});

test("connections are refused, taken again and cut", async (t) => {
  const at = await stage(t);
  const open = dial(at);
  assert.equal((await ended(post(at, open))).status, 200);
  at.service.front.refuseConnections();
  const [error] = await once(dial(at), "error");
  assert.equal(error.code, "ECONNREFUSED");
  assert.equal((await ended(post(at, open))).status, 200);
  await at.service.front.acceptConnections();
  assert.equal((await ended(post(at, dial(at)))).status, 200);
  at.service.front.cutConnections();
  await closed(open);
});

test("HTTP/1.1 is spoken too, and cut where a stream would be reset", async (t) => {
  const at = await stage(t);
  const { service, token, phone } = at;
  const ask = async (): Promise<number | undefined> => {
    const path = `/v1/projects/${service.projectId}/messages:send`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(`${service.origin}${path}`, { method: "POST", ca: service.ca, headers });
    sent.end(JSON.stringify({ message: { token: phone.token } }));
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  };
  assert.equal(await ask(), 200);
  assert.equal(service.front.connections.at(-1)?.protocol, "http/1.1");
  phone.script({ kind: "reset", when: "before-headers" });
  await assert.rejects(ask(), { code: "ECONNRESET" });
});

test("a hanging service logs the request and can be closed", async (t) => {
  const at = await stage(t);
  at.phone.script({ kind: "hang" });
  const stream = ended(post(at, dial(at)));
  await at.service.received(1);
  await at.service.close();
  assert.equal((await stream).status, null);
});
