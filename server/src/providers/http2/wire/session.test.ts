import assert from "node:assert/strict";
import { test } from "node:test";
import { Decoder } from "../hpack/decoder.ts";
import { CODE, FLAG, FRAME, SETTING } from "./codes.ts";
import {
  emptyResponse,
  bytesOf,
  dataFrame,
  ScriptedServer,
  headersFrame,
  numbers,
  settings,
} from "./scripted-server.fixture.ts";
import type { Frame as TestFrame } from "../../../../test/support/http2-peer.ts";

function bodyBytes(frames: readonly Required<TestFrame>[]): readonly number[] {
  return frames.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload.length);
}

function responseTo(server: ScriptedServer, streamId: number) {
  const end = server.ends.find((request) => request.streamId === streamId)?.end;
  return end?.kind === "answered" ? end.answer : assert.fail(end?.kind ?? "Not ended.");
}

test("a request is sent as HEADERS and DATA after the preface", () => {
  const server = new ScriptedServer(null);
  server.request();
  const frames = server.written();
  assert.deepEqual(
    frames.map(({ type, flags, streamId }) => [type, flags, streamId]),
    [
      [FRAME.settings, 0, 0],
      [FRAME.windowUpdate, 0, 0],
      [FRAME.headers, FLAG.endHeaders, 1],
      [FRAME.data, FLAG.endStream, 1],
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
  server.written();
  server.request({ body: Buffer.alloc(0) });
  assert.deepEqual(
    server.written().map(({ type, flags }) => [type, flags]),
    [[FRAME.headers, FLAG.endHeaders | FLAG.endStream]],
  );
});

test("a request that HTTP/2 does not allow is refused before anything is written", () => {
  const server = new ScriptedServer();
  server.written();
  const long = "x".repeat(16_384);
  for (const change of [
    { headers: { "Bad-Name": "x" } },
    { headers: { "": "x" } },
    { headers: { name: "line\nbreak" } },
    { headers: { name: "\u20ac" } },
    { path: "/\r\n" },
    { headers: { name: long } },
  ]) {
    assert.throws(() => server.request(change), TypeError);
  }
  assert.deepEqual(server.written(), []);
  server.request();
  server.send(emptyResponse(1));
  assert.deepEqual(server.kinds(), { 1: "200" });
});

test("a response is assembled from its frames, even if they arrive in pieces", () => {
  const padded = Buffer.from("02 0000000010 8d4001610162 0000".replaceAll(" ", ""), "hex");
  const responseBytes = bytesOf(
    headersFrame(1, "0803313033"),
    { type: 0xfa, flags: 0xff, streamId: 77, payload: Buffer.from("unknown") },
    { type: FRAME.headers, flags: FLAG.padded | FLAG.priority, streamId: 1, payload: padded },
    { type: FRAME.continuation, streamId: 1, payload: Buffer.from("400162", "hex") },
    {
      type: FRAME.continuation,
      flags: FLAG.endHeaders,
      streamId: 1,
      payload: Buffer.from("0163", "hex"),
    },
    dataFrame(1, "one, "),
    { type: FRAME.data, flags: FLAG.padded, streamId: 1, payload: Buffer.from("\u0003two\0\0\0") },
    dataFrame(1, ""),
    emptyResponse(1, "0001740175"),
  );
  for (const size of [1, 2, 7, responseBytes.length]) {
    const server = new ScriptedServer();
    server.request();
    for (let at = 0; at < responseBytes.length; at += size) {
      server.session.receive(Buffer.from(responseBytes.subarray(at, at + size)));
    }
    const { status, headers, body } = responseTo(server, 1);
    assert.deepEqual([status, { ...headers }, body], [404, { a: "b", b: "c" }, "one, two"]);
  }
});

test("fields with the same name are joined", () => {
  const server = new ScriptedServer();
  server.request();
  server.request();
  server.send(emptyResponse(1, "8840016101624001610163"), emptyResponse(3, "88bf"));
  assert.deepEqual({ ...responseTo(server, 1).headers }, { a: "b, c" });
  assert.deepEqual({ ...responseTo(server, 3).headers }, { a: "b" });
});

test("a body waits for the windows of its stream and of the connection", () => {
  const server = new ScriptedServer(settings([SETTING.initialWindowSize, 40_000]));
  server.written();
  server.request({ body: Buffer.alloc(100_000) });
  assert.deepEqual(bodyBytes(server.written()), [16_384, 16_384, 7_232]);
  server.send({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(50_000) });
  assert.deepEqual(bodyBytes(server.written()), [16_384, 9_151]);
  assert.equal(server.session.isWindowClosed, true);
  server.send({ type: FRAME.windowUpdate, payload: numbers(100_000) });
  assert.equal(server.session.isWindowClosed, false);
  assert.deepEqual(bodyBytes(server.written()), [16_384, 8_081]);
  server.send({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(10_000) });
  const last = server.written();
  assert.deepEqual(bodyBytes(last), [10_000]);
  assert.equal(last.at(-1)?.flags, FLAG.endStream);
});

test("a window that SETTINGS shrink below zero stops the body until it reopens", () => {
  const server = new ScriptedServer(settings([SETTING.initialWindowSize, 1_000]));
  server.request({ body: Buffer.alloc(2_000) });
  server.written();
  server.send(settings([SETTING.initialWindowSize, 0]));
  server.send({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(1_000) });
  assert.deepEqual(bodyBytes(server.written()), []);
  server.send({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(1) });
  assert.deepEqual(bodyBytes(server.written()), [1]);
  server.send(settings([SETTING.initialWindowSize, 5_000]));
  assert.deepEqual(bodyBytes(server.written()), [999]);
});

test("bodies that wait for the connection's window continue in request order", () => {
  const server = new ScriptedServer();
  for (const size of [65_000, 600, 600]) server.request({ body: Buffer.alloc(size) });
  server.written();
  server.send({ type: FRAME.windowUpdate, payload: numbers(300) });
  const frames = server.written().filter(({ type }) => type === FRAME.data);
  assert.deepEqual(
    frames.map(({ streamId, payload }) => [streamId, payload.length]),
    [
      [3, 65],
      [5, 235],
    ],
  );
});

test("a server that opens its window in small steps is not a flood", () => {
  const server = new ScriptedServer(settings([SETTING.initialWindowSize, 1]));
  server.request({ body: Buffer.alloc(12_000) });
  server.written();
  for (let steps = 1; steps < 12_000; steps += 1) {
    server.send({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(1) });
  }
  server.send(emptyResponse(1));
  assert.deepEqual(server.kinds(), { 1: "200" });
});

test("a response before the end of the body ends the request", () => {
  const server = new ScriptedServer(settings([SETTING.initialWindowSize, 1]));
  server.request();
  server.written();
  server.send(emptyResponse(1));
  assert.deepEqual(server.codesWritten(FRAME.rstStream), [CODE.cancel]);
  server.send({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(10) });
  assert.deepEqual(server.written(), []);
  assert.deepEqual(server.kinds(), { 1: "200" });
});

/** A body part of 256 bytes of padding. */
const PADDING_FRAME: TestFrame = {
  type: FRAME.data,
  flags: FLAG.padded,
  streamId: 1,
  payload: Buffer.concat([Buffer.of(255), Buffer.alloc(255)]),
};

test("the windows of the connection and the stream are reopened for responses", () => {
  const server = new ScriptedServer();
  server.request();
  server.send(headersFrame(1));
  server.written();
  for (let frames = 0; frames < 32; frames += 1) server.send(PADDING_FRAME);
  const opened = server.written().filter(({ type }) => type === FRAME.windowUpdate);
  assert.deepEqual(
    opened.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
    [[1, 8_192]],
  );
  const second = new ScriptedServer();
  second.request();
  second.session.cancel(second.request(), new Error("Enough."));
  second.written();
  for (let frames = 0; frames < 32; frames += 1) second.send(dataFrame(3, "x".repeat(16_384)));
  const wide = second.written().filter(({ type }) => type === FRAME.windowUpdate);
  assert.deepEqual(
    wide.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
    [[0, 524_288]],
  );
});

test("a response that exceeds its window is cut off", () => {
  const server = new ScriptedServer();
  server.request();
  server.send(headersFrame(1));
  server.written();
  for (let frames = 0; frames < 31; frames += 1) server.send(PADDING_FRAME);
  server.send(dataFrame(1, "x".repeat(16_384)));
  assert.deepEqual(server.codesWritten(FRAME.rstStream), [CODE.flowControlError]);
  assert.deepEqual(server.kinds(), { 1: "200" });
});

test("a PING is answered with its payload, and a response to our PING is reported", () => {
  const server = new ScriptedServer();
  server.written();
  server.send({ type: FRAME.ping, payload: Buffer.from("12345678") });
  const [pong] = server.written();
  assert.deepEqual([pong?.flags, pong?.payload.toString()], [FLAG.ack, "12345678"]);
  server.session.ping();
  const [ping] = server.written();
  server.send({ type: FRAME.ping, flags: FLAG.ack, payload: ping?.payload ?? Buffer.alloc(0) });
  assert.equal(server.pongs, 1);
});

test("streams after the last one of a GOAWAY are refused", () => {
  const server = new ScriptedServer();
  for (let request = 0; request < 3; request += 1) server.request();
  server.send({ type: FRAME.goaway, payload: numbers(2 ** 31 - 1, 0) });
  assert.deepEqual(server.kinds(), {});
  server.send({ type: FRAME.goaway, payload: Buffer.concat([numbers(3, 0), Buffer.from("why")]) });
  assert.deepEqual(server.kinds(), { 5: "refused" });
  server.send(emptyResponse(1), emptyResponse(3));
  assert.deepEqual(server.kinds(), { 1: "200", 3: "200", 5: "refused" });
});

test("a refused stream was not processed, and a stream reset with another code is lost", () => {
  const server = new ScriptedServer();
  for (let request = 0; request < 2; request += 1) server.request();
  server.send({ type: FRAME.rstStream, streamId: 1, payload: numbers(CODE.refusedStream) });
  server.send({ type: FRAME.rstStream, streamId: 3, payload: numbers(CODE.noError) });
  assert.deepEqual(server.kinds(), { 1: "refused", 3: "lost" });
});

test("frames for a cancelled stream still update the compression table", () => {
  const server = new ScriptedServer();
  const cancelled = server.request();
  server.request();
  server.written();
  server.session.cancel(cancelled, new Error("Given up."));
  server.session.cancel(cancelled, new Error("Given up."));
  assert.deepEqual(server.codesWritten(FRAME.rstStream), [CODE.cancel]);
  server.send(headersFrame(1, "884001610162"), dataFrame(1, "x"), emptyResponse(1, "0001780179"));
  server.send({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(10) });
  server.send({ type: FRAME.rstStream, streamId: 1, payload: numbers(0) });
  server.send(emptyResponse(3, "88be"));
  assert.deepEqual({ ...responseTo(server, 3).headers }, { a: "b" });
  assert.deepEqual(server.kinds(), { 1: "lost", 3: "200" });
});

test("leaving sends a GOAWAY and loses every stream", () => {
  const server = new ScriptedServer();
  server.request();
  server.written();
  server.session.leave(new Error("Bye."));
  assert.deepEqual(server.codesWritten(FRAME.goaway), [CODE.noError]);
  assert.deepEqual(server.kinds(), { 1: "lost" });
  assert.equal(server.session.isSpent, true);
});

test("SETTINGS are acknowledged and apply to the next request", () => {
  const server = new ScriptedServer();
  server.request();
  server.written();
  server.send(settings([SETTING.headerTableSize, 0], [0x99, 7]));
  server.request();
  const [ack, headers] = server.written();
  assert.deepEqual([ack?.type, ack?.flags, ack?.payload.length], [FRAME.settings, FLAG.ack, 0]);
  assert.equal(headers?.payload[0], 0x20);
  assert.equal(server.session.streamsMax, Infinity);
  server.send(settings([SETTING.maxConcurrentStreams, 3]));
  assert.equal(server.session.streamsMax, 3);
});
