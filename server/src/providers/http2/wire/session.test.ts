import assert from "node:assert/strict";
import { test } from "node:test";
import { Decoder } from "../hpack/decoder.ts";
import { ERROR_CODE, FRAME_FLAG, FRAME_TYPE, SETTING_ID } from "./codes.ts";
import {
  createEmptyResponse,
  encodeFrames,
  createDataFrame,
  ScriptedServer,
  createHeadersFrame,
  encodeUint32s,
  createSettingsFrame,
  STATUS_103,
  STATUS_200_AND_FIELD,
} from "./scripted-server.fixture.ts";

const UNKNOWN_SETTING_ID = 0x99;

function getResponse(server: ScriptedServer, streamId: number) {
  const end = server.ends.find((request) => request.streamId === streamId)?.end;
  return end?.kind === "answered" ? end.response : assert.fail(end?.kind ?? "Not ended.");
}

test("a request is sent as HEADERS and DATA after the preface", () => {
  const server = new ScriptedServer(null);
  server.startClientRequest();
  const frames = server.takeClientFrames();
  assert.deepEqual(
    frames.map(({ type, flags, streamId }) => [type, flags, streamId]),
    [
      [FRAME_TYPE.settings, 0, 0],
      [FRAME_TYPE.windowUpdate, 0, 0],
      [FRAME_TYPE.headers, FRAME_FLAG.endHeaders, 1],
      [FRAME_TYPE.data, FRAME_FLAG.endStream, 1],
    ],
  );
  const decoder = new Decoder({ tableMaxBytes: 4_096, listMaxBytes: 16_384 });
  const { fields } = decoder.decode(frames[2]?.payload ?? Buffer.alloc(0));
  assert.deepEqual(
    fields.map(({ name, value }) => `${name}=${value}`),
    [
      ":method=POST",
      ":scheme=https",
      ":authority=push.example",
      ":path=/3/device/00",
      "apns-topic=org.example",
      "content-length=2",
    ],
  );
});

test("a request without a body is one frame", () => {
  const server = new ScriptedServer();
  server.takeClientFrames();
  server.startClientRequest({ body: Buffer.alloc(0) });
  assert.deepEqual(
    server.takeClientFrames().map(({ type, flags }) => [type, flags]),
    [[FRAME_TYPE.headers, FRAME_FLAG.endHeaders | FRAME_FLAG.endStream]],
  );
});

test("a request that HTTP/2 does not allow is refused before anything is written", () => {
  const server = new ScriptedServer();
  server.takeClientFrames();
  const longValue = "x".repeat(16_384);
  for (const change of [
    { headers: { "Bad-Name": "x" } },
    { headers: { "": "x" } },
    { headers: { name: "line\nbreak" } },
    { headers: { name: "\u20ac" } },
    { path: "/\r\n" },
    { headers: { name: longValue } },
  ]) {
    assert.throws(() => server.startClientRequest(change), TypeError);
  }
  assert.deepEqual(server.takeClientFrames(), []);
  server.startClientRequest();
  server.send(createEmptyResponse(1));
  assert.deepEqual(server.describeEnds(), { 1: "200" });
});

test("a response is assembled from its frames, even if they arrive in pieces", () => {
  const padded = Buffer.from("02 0000000010 8d4001610162 0000".replaceAll(" ", ""), "hex");
  const responseBytes = encodeFrames(
    createHeadersFrame(1, STATUS_103),
    { type: 0xfa, flags: 0xff, streamId: 77, payload: Buffer.from("unknown") },
    {
      type: FRAME_TYPE.headers,
      flags: FRAME_FLAG.padded | FRAME_FLAG.priority,
      streamId: 1,
      payload: padded,
    },
    { type: FRAME_TYPE.continuation, streamId: 1, payload: Buffer.from("400162", "hex") },
    {
      type: FRAME_TYPE.continuation,
      flags: FRAME_FLAG.endHeaders,
      streamId: 1,
      payload: Buffer.from("0163", "hex"),
    },
    createDataFrame(1, "one, "),
    {
      type: FRAME_TYPE.data,
      flags: FRAME_FLAG.padded,
      streamId: 1,
      payload: Buffer.from("\u0003two\0\0\0"),
    },
    createDataFrame(1, ""),
    createEmptyResponse(1, "0001740175"),
  );
  for (const size of [1, 2, 7, responseBytes.length]) {
    const server = new ScriptedServer();
    server.startClientRequest();
    for (let at = 0; at < responseBytes.length; at += size) {
      server.session.receive(Buffer.from(responseBytes.subarray(at, at + size)));
    }
    const { status, headers, body } = getResponse(server, 1);
    assert.deepEqual([status, { ...headers }, body], [404, { a: "b", b: "c" }, "one, two"]);
  }
});

test("fields with the same name are joined", () => {
  const server = new ScriptedServer();
  server.startClientRequest();
  server.startClientRequest();
  server.send(createEmptyResponse(1, "8840016101624001610163"), createEmptyResponse(3, "88bf"));
  assert.deepEqual({ ...getResponse(server, 1).headers }, { a: "b, c" });
  assert.deepEqual({ ...getResponse(server, 3).headers }, { a: "b" });
});

test("a PING is answered with its payload, and a response to our PING is reported", () => {
  const server = new ScriptedServer();
  server.takeClientFrames();
  server.send({ type: FRAME_TYPE.ping, payload: Buffer.from("12345678") });
  const [pong] = server.takeClientFrames();
  assert.deepEqual([pong?.flags, pong?.payload.toString()], [FRAME_FLAG.ack, "12345678"]);
  server.session.ping();
  const [ping] = server.takeClientFrames();
  server.send({
    type: FRAME_TYPE.ping,
    flags: FRAME_FLAG.ack,
    payload: ping?.payload ?? Buffer.alloc(0),
  });
  assert.equal(server.pongCount, 1);
});

test("streams after the last one of a GOAWAY are refused", () => {
  const server = new ScriptedServer();
  for (let request = 0; request < 3; request += 1) server.startClientRequest();
  server.send({ type: FRAME_TYPE.goaway, payload: encodeUint32s(2 ** 31 - 1, 0) });
  assert.deepEqual(server.describeEnds(), {});
  server.send({
    type: FRAME_TYPE.goaway,
    payload: Buffer.concat([encodeUint32s(3, 0), Buffer.from("why")]),
  });
  assert.deepEqual(server.describeEnds(), { 5: "refused" });
  server.send(createEmptyResponse(1), createEmptyResponse(3));
  assert.deepEqual(server.describeEnds(), { 1: "200", 3: "200", 5: "refused" });
});

test("a refused stream was not processed, and a stream reset with another code is lost", () => {
  const server = new ScriptedServer();
  for (let request = 0; request < 2; request += 1) server.startClientRequest();
  server.send({
    type: FRAME_TYPE.rstStream,
    streamId: 1,
    payload: encodeUint32s(ERROR_CODE.refusedStream),
  });
  server.send({
    type: FRAME_TYPE.rstStream,
    streamId: 3,
    payload: encodeUint32s(ERROR_CODE.noError),
  });
  assert.deepEqual(server.describeEnds(), { 1: "refused", 3: "lost" });
});

test("frames for a cancelled stream still update the compression table", () => {
  const server = new ScriptedServer();
  const cancelled = server.startClientRequest();
  server.startClientRequest();
  server.takeClientFrames();
  server.session.cancel(cancelled, new Error("Given up."));
  server.session.cancel(cancelled, new Error("Given up."));
  assert.deepEqual(server.takeClientCodes(FRAME_TYPE.rstStream), [ERROR_CODE.cancel]);
  server.send(
    createHeadersFrame(1, STATUS_200_AND_FIELD),
    createDataFrame(1, "x"),
    createEmptyResponse(1, "0001780179"),
  );
  server.send({ type: FRAME_TYPE.windowUpdate, streamId: 1, payload: encodeUint32s(10) });
  server.send({ type: FRAME_TYPE.rstStream, streamId: 1, payload: encodeUint32s(0) });
  server.send(createEmptyResponse(3, "88be"));
  assert.deepEqual({ ...getResponse(server, 3).headers }, { a: "b" });
  assert.deepEqual(server.describeEnds(), { 1: "lost", 3: "200" });
});

test("closing sends a GOAWAY and loses every request", () => {
  const server = new ScriptedServer();
  server.startClientRequest();
  server.takeClientFrames();
  server.session.close(new Error("Bye."));
  assert.deepEqual(server.takeClientCodes(FRAME_TYPE.goaway), [ERROR_CODE.noError]);
  assert.deepEqual(server.describeEnds(), { 1: "lost" });
  assert.equal(server.session.isExhausted, true);
});

test("SETTINGS are acknowledged and apply to the next request", () => {
  const server = new ScriptedServer();
  server.startClientRequest();
  server.takeClientFrames();
  server.send(createSettingsFrame([SETTING_ID.headerTableSize, 0], [UNKNOWN_SETTING_ID, 7]));
  server.startClientRequest();
  const [ack, headers] = server.takeClientFrames();
  assert.deepEqual(
    [ack?.type, ack?.flags, ack?.payload.length],
    [FRAME_TYPE.settings, FRAME_FLAG.ack, 0],
  );
  // The block begins with a size update to 0 (RFC 7541 section 6.3).
  assert.equal(headers?.payload[0], 0x20);
  assert.equal(server.session.streamsMax, Infinity);
  server.send(createSettingsFrame([SETTING_ID.maxConcurrentStreams, 3]));
  assert.equal(server.session.streamsMax, 3);
});
