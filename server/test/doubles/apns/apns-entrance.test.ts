import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { LOOPBACK } from "../listen.ts";
import { stage } from "./apns-stage.ts";
import { RawSender } from "./raw-sender.ts";

const { NGHTTP2_REFUSED_STREAM } = constants;

test("a connection takes one stream until a good token was answered, and then many", async (t) => {
  const { service, connect, send } = await stage(t, { maxConcurrentStreams: 40 });
  const sender = await connect();
  const limit = (): unknown => sender.session.remoteSettings.maxConcurrentStreams;
  assert.equal(limit(), 1);
  assert.equal(sender.session.remoteSettings.maxHeaderListSize, 8_000);
  assert.equal((await send(sender, { token: "x" })).status, 403);
  assert.equal(limit(), 1);
  const raised = once(sender.session, "remoteSettings");
  // Trust follows the token, whatever becomes of the push.
  assert.equal((await send(sender, { headers: { "apns-topic": "x" } })).status, 400);
  await raised;
  assert.equal(limit(), 40);
  assert.equal(service.entrance.connectionCount, 1);
});

test("a sender that does not wait for the limit has its streams refused", async (t) => {
  const { service, iphone, connect, send } = await stage(t);
  const eager = connectHttp2(service.origin, { ca: service.ca });
  eager.on("error", () => {});
  t.after(() => eager.destroy());
  const codes = Array.from({ length: 50 }, async () => {
    const stream = eager.request({ ":method": "POST", ":path": "/" });
    stream.on("error", () => {});
    stream.resume().end();
    await once(stream, "close").catch(() => {});
    return stream.rstCode;
  });
  const refused = (await Promise.all(codes)).filter((code) => code === NGHTTP2_REFUSED_STREAM);
  assert.equal(refused.length, 49);
  assert.equal((await send(await connect())).status, 200);
  assert.equal(iphone.messages.length, 1);
});

test("a warm service takes many streams at once", async (t) => {
  const { connect, send } = await stage(t, { isCold: false, maxConcurrentStreams: 40 });
  const sender = await connect();
  assert.equal(sender.session.remoteSettings.maxConcurrentStreams, 40);
  assert.equal((await send(sender)).status, 200);
});

test("streams can be withheld and granted again", async (t) => {
  const { service, iphone, connect, send } = await stage(t);
  const sender = await connect();
  const limits = [10, 0, 1].map(async (streams) => {
    while (sender.session.remoteSettings.maxConcurrentStreams !== streams) {
      await once(sender.session, "remoteSettings");
    }
  });
  service.entrance.grantStreams(10);
  assert.equal((await send(sender)).status, 200);
  await limits[0];
  service.entrance.grantStreams(0);
  await limits[1];
  const waiting = send(sender);
  const late = await connect();
  assert.equal(late.session.remoteSettings.maxConcurrentStreams, 0);
  assert.equal(iphone.judged.length, 1);
  service.entrance.grantStreams(1);
  assert.equal((await waiting).status, 200);
});

test("a closed port refuses, leaves connections alone, and opens again", async (t) => {
  const { service, connect, send } = await stage(t);
  const sender = await connect();
  service.entrance.stopListening();
  await assert.rejects(RawSender.connect(service), { code: "ECONNREFUSED" });
  assert.equal((await send(sender)).status, 200);
  await service.entrance.listenAgain();
  assert.equal((await send(await connect())).status, 200);
});

test("all connections can be reset at once", async (t) => {
  const { service, connect, send } = await stage(t);
  const senders = [await connect(), await connect()];
  service.entrance.reset();
  // Node does not always call it an error where no stream was open.
  for (const { ended } of senders) await ended;
  const sender = await connect();
  assert.equal((await send(sender)).status, 200);
  assert.equal(service.entrance.connectionCount, 3);
  assert.equal(service.entrance.connections.length, 1);
});

test("the service survives senders that break every rule", async (t) => {
  const { service, connect, send } = await stage(t);
  const { port } = service.entrance;
  const plain = connectTcp(port, LOOPBACK);
  plain.on("error", () => {});
  const hungUp = once(plain, "close");
  plain.end("GET / HTTP/1.1\r\n\r\n");
  await hungUp;
  const hasty = connectTcp(port, LOOPBACK);
  await once(hasty, "connect");
  hasty.resetAndDestroy();
  const garbled = connectTls({ port, host: LOOPBACK, ca: service.ca, ALPNProtocols: ["h2"] });
  garbled.on("error", () => {});
  garbled.end("rubbish".repeat(100)).resume();
  await once(garbled, "close");
  const rude = await connect();
  const stream = rude.session.request({ ":method": "POST", ":path": "/3/device/00" });
  stream.on("error", () => {});
  stream.write("half a body");
  rude.session.destroy(new Error("gone"));
  await rude.ended;
  const endless = await connect();
  const answer = await send(endless, { body: Buffer.alloc(2_000_000) });
  assert.equal(answer.status, null);
  assert.equal((await send(await connect())).status, 200);
});

test("a service that is closed cuts what is under way", async (t) => {
  const { service, iphone, connect, send } = await stage(t);
  iphone.script({ kind: "hang" });
  const hanging = send(await connect());
  await iphone.received(1);
  await service.close();
  assert.equal((await hanging).status, null);
});
