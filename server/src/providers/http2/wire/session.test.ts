import assert from "node:assert/strict";
import { test } from "node:test";
import { Decoder } from "../hpack/decoder.ts";
import { CODE, FLAG, FRAME, SETTING } from "./codes.ts";
import {
  answer,
  bytesOf,
  data,
  ScriptedServer,
  head,
  numbers,
  settings,
} from "./scripted-server.fixture.ts";
import type { Frame as Said } from "../../../../test/support/http2-peer.ts";

function bodyBytes(heard: readonly Required<Said>[]): readonly number[] {
  return heard.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload.length);
}

function answerTo(server: ScriptedServer, streamId: number) {
  const found = server.ends.find((ended) => ended.streamId === streamId)?.end;
  return found?.kind === "answered" ? found.answer : assert.fail(found?.kind ?? "Not ended.");
}

test("a request is HEADERS and DATA, behind the preface, SETTINGS and a wide window", () => {
  const server = new ScriptedServer(null);
  server.ask();
  const heard = server.written();
  assert.deepEqual(
    heard.map(({ type, flags, streamId }) => [type, flags, streamId]),
    [
      [FRAME.settings, 0, 0],
      [FRAME.windowUpdate, 0, 0],
      [FRAME.headers, FLAG.endHeaders, 1],
      [FRAME.data, FLAG.endStream, 1],
    ],
  );
  const decoder = new Decoder({ tableMaxBytes: 4_096, listMaxBytes: 16_384 });
  const { fields } = decoder.decode(heard[2]?.payload ?? Buffer.alloc(0));
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
  server.ask({ body: Buffer.alloc(0) });
  assert.deepEqual(
    server.written().map(({ type, flags }) => [type, flags]),
    [[FRAME.headers, FLAG.endHeaders | FLAG.endStream]],
  );
});

test("a request that HTTP/2 does not allow is refused before anything is written", () => {
  const server = new ScriptedServer();
  server.written();
  const long = "x".repeat(16_384);
  for (const given of [
    { headers: { "Bad-Name": "x" } },
    { headers: { "": "x" } },
    { headers: { name: "line\nbreak" } },
    { headers: { name: "\u20ac" } },
    { path: "/\r\n" },
    { headers: { name: long } },
  ]) {
    assert.throws(() => server.ask(given), TypeError);
  }
  assert.deepEqual(server.written(), []);
  server.ask();
  server.say(answer(1));
  assert.deepEqual(server.kinds(), { 1: "200" });
});

test("an answer is put together from its frames, however they are cut", () => {
  const padded = Buffer.from("02 0000000010 8d4001610162 0000".replaceAll(" ", ""), "hex");
  const answerBytes = bytesOf(
    head(1, "0803313033"),
    { type: 0xfa, flags: 0xff, streamId: 77, payload: Buffer.from("unknown") },
    { type: FRAME.headers, flags: FLAG.padded | FLAG.priority, streamId: 1, payload: padded },
    { type: FRAME.continuation, streamId: 1, payload: Buffer.from("400162", "hex") },
    {
      type: FRAME.continuation,
      flags: FLAG.endHeaders,
      streamId: 1,
      payload: Buffer.from("0163", "hex"),
    },
    data(1, "one, "),
    { type: FRAME.data, flags: FLAG.padded, streamId: 1, payload: Buffer.from("\u0003two\0\0\0") },
    data(1, ""),
    answer(1, "0001740175"),
  );
  for (const size of [1, 2, 7, answerBytes.length]) {
    const server = new ScriptedServer();
    server.ask();
    for (let at = 0; at < answerBytes.length; at += size) {
      server.session.receive(Buffer.from(answerBytes.subarray(at, at + size)));
    }
    const { status, headers, body } = answerTo(server, 1);
    assert.deepEqual([status, { ...headers }, body], [404, { a: "b", b: "c" }, "one, two"]);
  }
});

test("fields of one name are joined, and an entry of the table serves later answers", () => {
  const server = new ScriptedServer();
  server.ask();
  server.ask();
  server.say(answer(1, "8840016101624001610163"), answer(3, "88bf"));
  assert.deepEqual({ ...answerTo(server, 1).headers }, { a: "b, c" });
  assert.deepEqual({ ...answerTo(server, 3).headers }, { a: "b" });
});

test("a body waits for windows, of its stream and of the connection, and goes on when they open", () => {
  const server = new ScriptedServer(settings([SETTING.initialWindowSize, 40_000]));
  server.written();
  server.ask({ body: Buffer.alloc(100_000) });
  assert.deepEqual(bodyBytes(server.written()), [16_384, 16_384, 7_232]);
  server.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(50_000) });
  assert.deepEqual(bodyBytes(server.written()), [16_384, 9_151]);
  assert.equal(server.session.isShut, true);
  server.say({ type: FRAME.windowUpdate, payload: numbers(100_000) });
  assert.equal(server.session.isShut, false);
  assert.deepEqual(bodyBytes(server.written()), [16_384, 8_081]);
  server.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(10_000) });
  const last = server.written();
  assert.deepEqual(bodyBytes(last), [10_000]);
  assert.equal(last.at(-1)?.flags, FLAG.endStream);
});

test("a window that SETTINGS shrink below zero takes nothing until it is open again", () => {
  const server = new ScriptedServer(settings([SETTING.initialWindowSize, 1_000]));
  server.ask({ body: Buffer.alloc(2_000) });
  server.written();
  server.say(settings([SETTING.initialWindowSize, 0]));
  server.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(1_000) });
  assert.deepEqual(bodyBytes(server.written()), []);
  server.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(1) });
  assert.deepEqual(bodyBytes(server.written()), [1]);
  server.say(settings([SETTING.initialWindowSize, 5_000]));
  assert.deepEqual(bodyBytes(server.written()), [999]);
});

test("bodies that wait for the connection's window continue in the order of the requests", () => {
  const server = new ScriptedServer();
  for (const size of [65_000, 600, 600]) server.ask({ body: Buffer.alloc(size) });
  server.written();
  server.say({ type: FRAME.windowUpdate, payload: numbers(300) });
  const heard = server.written().filter(({ type }) => type === FRAME.data);
  assert.deepEqual(
    heard.map(({ streamId, payload }) => [streamId, payload.length]),
    [
      [3, 65],
      [5, 235],
    ],
  );
});

test("a server that opens its window by little steps is no flood", () => {
  const server = new ScriptedServer(settings([SETTING.initialWindowSize, 1]));
  server.ask({ body: Buffer.alloc(12_000) });
  server.written();
  for (let steps = 1; steps < 12_000; steps += 1) {
    server.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(1) });
  }
  server.say(answer(1));
  assert.deepEqual(server.kinds(), { 1: "200" });
});

test("an answer that comes before the body is sent ends the request, and the body", () => {
  const server = new ScriptedServer(settings([SETTING.initialWindowSize, 1]));
  server.ask();
  server.written();
  server.say(answer(1));
  assert.deepEqual(server.codesWritten(FRAME.rstStream), [CODE.cancel]);
  server.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(10) });
  assert.deepEqual(server.written(), []);
  assert.deepEqual(server.kinds(), { 1: "200" });
});

/** A body part of 256 bytes that is all padding. */
const PADDING: Said = {
  type: FRAME.data,
  flags: FLAG.padded,
  streamId: 1,
  payload: Buffer.concat([Buffer.of(255), Buffer.alloc(255)]),
};

test("the server gets room for more answers, on the connection and on a stream", () => {
  const server = new ScriptedServer();
  server.ask();
  server.say(head(1));
  server.written();
  for (let frames = 0; frames < 32; frames += 1) server.say(PADDING);
  const opened = server.written().filter(({ type }) => type === FRAME.windowUpdate);
  assert.deepEqual(
    opened.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
    [[1, 8_192]],
  );
  const other = new ScriptedServer();
  other.ask();
  other.session.cancel(other.ask(), new Error("Enough."));
  other.written();
  for (let frames = 0; frames < 32; frames += 1) other.say(data(3, "x".repeat(16_384)));
  const wide = other.written().filter(({ type }) => type === FRAME.windowUpdate);
  assert.deepEqual(
    wide.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
    [[0, 524_288]],
  );
});

test("an answer that takes more than its window is cut off", () => {
  const server = new ScriptedServer();
  server.ask();
  server.say(head(1));
  server.written();
  for (let frames = 0; frames < 31; frames += 1) server.say(PADDING);
  server.say(data(1, "x".repeat(16_384)));
  assert.deepEqual(server.codesWritten(FRAME.rstStream), [CODE.flowControlError]);
  assert.deepEqual(server.kinds(), { 1: "200" });
});

test("a PING is answered with its payload, and the answer to ours is reported", () => {
  const server = new ScriptedServer();
  server.written();
  server.say({ type: FRAME.ping, payload: Buffer.from("12345678") });
  const [pong] = server.written();
  assert.deepEqual([pong?.flags, pong?.payload.toString()], [FLAG.ack, "12345678"]);
  server.session.ping();
  const [ping] = server.written();
  server.say({ type: FRAME.ping, flags: FLAG.ack, payload: ping?.payload ?? Buffer.alloc(0) });
  assert.equal(server.pongs, 1);
});

test("after a GOAWAY, streams beyond the last one were not processed, and the others are answered", () => {
  const server = new ScriptedServer();
  for (let request = 0; request < 3; request += 1) server.ask();
  server.say({ type: FRAME.goaway, payload: numbers(2 ** 31 - 1, 0) });
  assert.deepEqual(server.kinds(), {});
  server.say({ type: FRAME.goaway, payload: Buffer.concat([numbers(3, 0), Buffer.from("why")]) });
  assert.deepEqual(server.kinds(), { 5: "refused" });
  server.say(answer(1), answer(3));
  assert.deepEqual(server.kinds(), { 1: "200", 3: "200", 5: "refused" });
});

test("a stream that is refused was not processed; reset by any other code, it is lost", () => {
  const server = new ScriptedServer();
  for (let request = 0; request < 2; request += 1) server.ask();
  server.say({ type: FRAME.rstStream, streamId: 1, payload: numbers(CODE.refusedStream) });
  server.say({ type: FRAME.rstStream, streamId: 3, payload: numbers(CODE.noError) });
  assert.deepEqual(server.kinds(), { 1: "refused", 3: "lost" });
});

test("frames for a cancelled stream are dropped, and the tables stay in step", () => {
  const server = new ScriptedServer();
  const cancelled = server.ask();
  server.ask();
  server.written();
  server.session.cancel(cancelled, new Error("Given up."));
  server.session.cancel(cancelled, new Error("Given up."));
  assert.deepEqual(server.codesWritten(FRAME.rstStream), [CODE.cancel]);
  server.say(head(1, "884001610162"), data(1, "x"), answer(1, "0001780179"));
  server.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(10) });
  server.say({ type: FRAME.rstStream, streamId: 1, payload: numbers(0) });
  server.say(answer(3, "88be"));
  assert.deepEqual({ ...answerTo(server, 3).headers }, { a: "b" });
  assert.deepEqual(server.kinds(), { 1: "lost", 3: "200" });
});

test("leaving sends a GOAWAY and loses every stream", () => {
  const server = new ScriptedServer();
  server.ask();
  server.written();
  server.session.leave(new Error("Bye."));
  assert.deepEqual(server.codesWritten(FRAME.goaway), [CODE.noError]);
  assert.deepEqual(server.kinds(), { 1: "lost" });
  assert.equal(server.session.isSpent, true);
});

test("SETTINGS are acknowledged, and a smaller table is used by the next request", () => {
  const server = new ScriptedServer();
  server.ask();
  server.written();
  server.say(settings([SETTING.headerTableSize, 0], [0x99, 7]));
  server.ask();
  const [ack, headers] = server.written();
  assert.deepEqual([ack?.type, ack?.flags, ack?.payload.length], [FRAME.settings, FLAG.ack, 0]);
  assert.equal(headers?.payload[0], 0x20);
  assert.equal(server.session.streamsMax, Infinity);
  server.say(settings([SETTING.maxConcurrentStreams, 3]));
  assert.equal(server.session.streamsMax, 3);
});
