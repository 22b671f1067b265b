import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { LOOPBACK } from "../listen.ts";
import { setUp } from "./set-up.ts";
import { RawSender } from "./raw-sender.ts";

const { NGHTTP2_REFUSED_STREAM } = constants;

test("a connection allows one stream until it has answered a request with a valid token, then many", async (t) => {
  const { service, connect, send } = await setUp(t, { maxConcurrentStreams: 40 });
  const sender = await connect();
  const readStreamLimit = (): unknown => sender.session.remoteSettings.maxConcurrentStreams;
  assert.equal(readStreamLimit(), 1);
  assert.equal(sender.session.remoteSettings.maxHeaderListSize, 8_000);
  assert.equal((await send(sender, { jwt: "x" })).status, 403);
  assert.equal(readStreamLimit(), 1);
  const limitRaised = once(sender.session, "remoteSettings");
  // Trust depends only on the token, not on the push.
  assert.equal((await send(sender, { headers: { "apns-topic": "x" } })).status, 400);
  await limitRaised;
  assert.equal(readStreamLimit(), 40);
  assert.equal(service.listener.connectionCount, 1);
});

test("streams of a sender that ignores the limit are refused", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const connection = connectHttp2(service.origin, { ca: service.ca });
  connection.on("error", () => {});
  t.after(() => connection.destroy());
  const closedStreams = Array.from({ length: 50 }, async () => {
    const stream = connection.request({ ":method": "POST", ":path": "/" });
    stream.on("error", () => {});
    stream.resume().end();
    await once(stream, "close").catch(() => {});
    return stream.rstCode;
  });
  const codes = await Promise.all(closedStreams);
  const refusedCodes = codes.filter((code) => code === NGHTTP2_REFUSED_STREAM);
  assert.equal(refusedCodes.length, 49);
  assert.equal((await send(await connect())).status, 200);
  assert.equal(iphone.messages.length, 1);
});

test("a warm service allows many streams immediately", async (t) => {
  const { connect, send } = await setUp(t, { isCold: false, maxConcurrentStreams: 40 });
  const sender = await connect();
  assert.equal(sender.session.remoteSettings.maxConcurrentStreams, 40);
  assert.equal((await send(sender)).status, 200);
});

test("the stream limit can be lowered to zero and raised again", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  const sender = await connect();
  const limitChanges = [10, 0, 1].map(async (streams) => {
    while (sender.session.remoteSettings.maxConcurrentStreams !== streams) {
      await once(sender.session, "remoteSettings");
    }
  });
  service.listener.setStreamLimit(10);
  assert.equal((await send(sender)).status, 200);
  await limitChanges[0];
  service.listener.setStreamLimit(0);
  await limitChanges[1];
  const pendingResponse = send(sender);
  const lateSender = await connect();
  assert.equal(lateSender.session.remoteSettings.maxConcurrentStreams, 0);
  assert.equal(iphone.requests.length, 1);
  service.listener.setStreamLimit(1);
  assert.equal((await pendingResponse).status, 200);
});

test("a closed port refuses new connections, keeps open ones, and can open again", async (t) => {
  const { service, connect, send } = await setUp(t);
  const sender = await connect();
  service.listener.stopListening();
  await assert.rejects(RawSender.connect(service), { code: "ECONNREFUSED" });
  assert.equal((await send(sender)).status, 200);
  await service.listener.listenAgain();
  assert.equal((await send(await connect())).status, 200);
});

test("all connections can be reset together", async (t) => {
  const { service, connect, send } = await setUp(t);
  const senders = [await connect(), await connect()];
  service.listener.reset();
  // Without an open stream, Node does not always emit an error.
  for (const { ended } of senders) await ended;
  const sender = await connect();
  assert.equal((await send(sender)).status, 200);
  assert.equal(service.listener.connectionCount, 3);
  assert.equal(service.listener.connections.length, 1);
});

test("the service survives senders that violate the protocol", async (t) => {
  const { service, connect, send } = await setUp(t);
  const { port } = service.listener;
  const plainClient = connectTcp(port, LOOPBACK);
  plainClient.on("error", () => {});
  const closed = once(plainClient, "close");
  plainClient.end("GET / HTTP/1.1\r\n\r\n");
  await closed;
  const resettingClient = connectTcp(port, LOOPBACK);
  await once(resettingClient, "connect");
  resettingClient.resetAndDestroy();
  const garbledClient = connectTls({ port, host: LOOPBACK, ca: service.ca, ALPNProtocols: ["h2"] });
  garbledClient.on("error", () => {});
  garbledClient.end("rubbish".repeat(100)).resume();
  await once(garbledClient, "close");
  const abortingSender = await connect();
  const stream = abortingSender.session.request({ ":method": "POST", ":path": "/3/device/00" });
  stream.on("error", () => {});
  stream.write("half a body");
  abortingSender.session.destroy(new Error("gone"));
  await abortingSender.ended;
  const oversizedSender = await connect();
  const response = await send(oversizedSender, { body: Buffer.alloc(2_000_000) });
  assert.equal(response.status, null);
  assert.equal((await send(await connect())).status, 200);
});

test("closing the service aborts pending requests", async (t) => {
  const { service, iphone, connect, send } = await setUp(t);
  iphone.script({ kind: "hang" });
  const hangingResponse = send(await connect());
  await iphone.waitForRequests(1);
  await service.close();
  assert.equal((await hangingResponse).status, null);
});
