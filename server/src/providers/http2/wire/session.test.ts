import assert from "node:assert/strict";
import { test } from "node:test";
import { Decoder } from "../hpack/decoder.ts";
import { CODE, FLAG, FRAME, SETTING } from "./codes.ts";
import { answer, bytesOf, data, FarSide, head, numbers, settings } from "./far-side.fixture.ts";
import type { Frame as Said } from "../../../../test/support/http2-peer.ts";

function bodyBytes(heard: readonly Required<Said>[]): readonly number[] {
  return heard.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload.length);
}

function answerTo(far: FarSide, streamId: number) {
  const found = far.ends.find((ended) => ended.streamId === streamId)?.end;
  return found?.kind === "answered" ? found.answer : assert.fail(found?.kind ?? "Not ended.");
}

test("a request is HEADERS and DATA, behind the preface, SETTINGS and a wide window", () => {
  const far = new FarSide(null);
  far.ask();
  const heard = far.heard();
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
  const far = new FarSide();
  far.heard();
  far.ask({ body: Buffer.alloc(0) });
  assert.deepEqual(
    far.heard().map(({ type, flags }) => [type, flags]),
    [[FRAME.headers, FLAG.endHeaders | FLAG.endStream]],
  );
});

test("what HTTP/2 does not allow in a request is refused before anything is written", () => {
  const far = new FarSide();
  far.heard();
  const long = "x".repeat(16_384);
  for (const given of [
    { headers: { "Bad-Name": "x" } },
    { headers: { "": "x" } },
    { headers: { name: "line\nbreak" } },
    { headers: { name: "\u20ac" } },
    { path: "/\r\n" },
    { headers: { name: long } },
  ]) {
    assert.throws(() => far.ask(given), TypeError);
  }
  assert.deepEqual(far.heard(), []);
  far.ask();
  far.say(answer(1));
  assert.deepEqual(far.kinds(), { 1: "200" });
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
    const far = new FarSide();
    far.ask();
    for (let at = 0; at < answerBytes.length; at += size) {
      far.session.receive(Buffer.from(answerBytes.subarray(at, at + size)));
    }
    const { status, headers, body } = answerTo(far, 1);
    assert.deepEqual([status, { ...headers }, body], [404, { a: "b", b: "c" }, "one, two"]);
  }
});

test("fields of one name are joined, and an entry of the table serves later answers", () => {
  const far = new FarSide();
  far.ask();
  far.ask();
  far.say(answer(1, "8840016101624001610163"), answer(3, "88bf"));
  assert.deepEqual({ ...answerTo(far, 1).headers }, { a: "b, c" });
  assert.deepEqual({ ...answerTo(far, 3).headers }, { a: "b" });
});

test("a body waits for windows, of its stream and of the connection, and goes on when they open", () => {
  const far = new FarSide(settings([SETTING.initialWindowSize, 40_000]));
  far.heard();
  far.ask({ body: Buffer.alloc(100_000) });
  assert.deepEqual(bodyBytes(far.heard()), [16_384, 16_384, 7_232]);
  far.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(50_000) });
  assert.deepEqual(bodyBytes(far.heard()), [16_384, 9_151]);
  assert.equal(far.session.isShut, true);
  far.say({ type: FRAME.windowUpdate, payload: numbers(100_000) });
  assert.equal(far.session.isShut, false);
  assert.deepEqual(bodyBytes(far.heard()), [16_384, 8_081]);
  far.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(10_000) });
  const last = far.heard();
  assert.deepEqual(bodyBytes(last), [10_000]);
  assert.equal(last.at(-1)?.flags, FLAG.endStream);
});

test("a window that SETTINGS shrink below zero takes nothing until it is open again", () => {
  const far = new FarSide(settings([SETTING.initialWindowSize, 1_000]));
  far.ask({ body: Buffer.alloc(2_000) });
  far.heard();
  far.say(settings([SETTING.initialWindowSize, 0]));
  far.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(1_000) });
  assert.deepEqual(bodyBytes(far.heard()), []);
  far.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(1) });
  assert.deepEqual(bodyBytes(far.heard()), [1]);
  far.say(settings([SETTING.initialWindowSize, 5_000]));
  assert.deepEqual(bodyBytes(far.heard()), [999]);
});

test("who waits for the window of the connection goes on in the order of the requests", () => {
  const far = new FarSide();
  for (const size of [65_000, 600, 600]) far.ask({ body: Buffer.alloc(size) });
  far.heard();
  far.say({ type: FRAME.windowUpdate, payload: numbers(300) });
  const heard = far.heard().filter(({ type }) => type === FRAME.data);
  assert.deepEqual(
    heard.map(({ streamId, payload }) => [streamId, payload.length]),
    [
      [3, 65],
      [5, 235],
    ],
  );
});

test("a far side that opens its window by little steps is no flood", () => {
  const far = new FarSide(settings([SETTING.initialWindowSize, 1]));
  far.ask({ body: Buffer.alloc(12_000) });
  far.heard();
  for (let steps = 1; steps < 12_000; steps += 1) {
    far.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(1) });
  }
  far.say(answer(1));
  assert.deepEqual(far.kinds(), { 1: "200" });
});

test("an answer that comes before the body is sent ends the request, and the body", () => {
  const far = new FarSide(settings([SETTING.initialWindowSize, 1]));
  far.ask();
  far.heard();
  far.say(answer(1));
  assert.deepEqual(far.codesHeard(FRAME.rstStream), [CODE.cancel]);
  far.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(10) });
  assert.deepEqual(far.heard(), []);
  assert.deepEqual(far.kinds(), { 1: "200" });
});

/** A part of a body that is padding alone, 256 bytes of it. */
const PADDING: Said = {
  type: FRAME.data,
  flags: FLAG.padded,
  streamId: 1,
  payload: Buffer.concat([Buffer.of(255), Buffer.alloc(255)]),
};

test("the far side gets room for more answers, on the connection and on a stream", () => {
  const far = new FarSide();
  far.ask();
  far.say(head(1));
  far.heard();
  for (let frames = 0; frames < 32; frames += 1) far.say(PADDING);
  const opened = far.heard().filter(({ type }) => type === FRAME.windowUpdate);
  assert.deepEqual(
    opened.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
    [[1, 8_192]],
  );
  const other = new FarSide();
  other.ask();
  other.session.cancel(other.ask(), new Error("Enough."));
  other.heard();
  for (let frames = 0; frames < 32; frames += 1) other.say(data(3, "x".repeat(16_384)));
  const wide = other.heard().filter(({ type }) => type === FRAME.windowUpdate);
  assert.deepEqual(
    wide.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
    [[0, 524_288]],
  );
});

test("an answer that takes more than its window is cut off", () => {
  const far = new FarSide();
  far.ask();
  far.say(head(1));
  far.heard();
  for (let frames = 0; frames < 31; frames += 1) far.say(PADDING);
  far.say(data(1, "x".repeat(16_384)));
  assert.deepEqual(far.codesHeard(FRAME.rstStream), [CODE.flowControlError]);
  assert.deepEqual(far.kinds(), { 1: "200" });
});

test("a PING is answered with what it says, and the answer to ours is told", () => {
  const far = new FarSide();
  far.heard();
  far.say({ type: FRAME.ping, payload: Buffer.from("12345678") });
  const [pong] = far.heard();
  assert.deepEqual([pong?.flags, pong?.payload.toString()], [FLAG.ack, "12345678"]);
  far.session.ping();
  const [ping] = far.heard();
  far.say({ type: FRAME.ping, flags: FLAG.ack, payload: ping?.payload ?? Buffer.alloc(0) });
  assert.equal(far.pongs, 1);
});

test("after a GOAWAY, streams beyond the last one were not processed, and the others are answered", () => {
  const far = new FarSide();
  for (let request = 0; request < 3; request += 1) far.ask();
  far.say({ type: FRAME.goaway, payload: numbers(2 ** 31 - 1, 0) });
  assert.deepEqual(far.kinds(), {});
  far.say({ type: FRAME.goaway, payload: Buffer.concat([numbers(3, 0), Buffer.from("why")]) });
  assert.deepEqual(far.kinds(), { 5: "refused" });
  far.say(answer(1), answer(3));
  assert.deepEqual(far.kinds(), { 1: "200", 3: "200", 5: "refused" });
});

test("a stream that is refused was not processed; reset by any other code, it is lost", () => {
  const far = new FarSide();
  for (let request = 0; request < 2; request += 1) far.ask();
  far.say({ type: FRAME.rstStream, streamId: 1, payload: numbers(CODE.refusedStream) });
  far.say({ type: FRAME.rstStream, streamId: 3, payload: numbers(CODE.noError) });
  assert.deepEqual(far.kinds(), { 1: "refused", 3: "lost" });
});

test("what is on the way to a stream that was cancelled is nobody's, and the tables stay right", () => {
  const far = new FarSide();
  const cancelled = far.ask();
  far.ask();
  far.heard();
  far.session.cancel(cancelled, new Error("Given up."));
  far.session.cancel(cancelled, new Error("Given up."));
  assert.deepEqual(far.codesHeard(FRAME.rstStream), [CODE.cancel]);
  far.say(head(1, "884001610162"), data(1, "x"), answer(1, "0001780179"));
  far.say({ type: FRAME.windowUpdate, streamId: 1, payload: numbers(10) });
  far.say({ type: FRAME.rstStream, streamId: 1, payload: numbers(0) });
  far.say(answer(3, "88be"));
  assert.deepEqual({ ...answerTo(far, 3).headers }, { a: "b" });
  assert.deepEqual(far.kinds(), { 1: "lost", 3: "200" });
});

test("who leaves says so, and every stream is lost", () => {
  const far = new FarSide();
  far.ask();
  far.heard();
  far.session.leave(new Error("Bye."));
  assert.deepEqual(far.codesHeard(FRAME.goaway), [CODE.noError]);
  assert.deepEqual(far.kinds(), { 1: "lost" });
  assert.equal(far.session.isSpent, true);
});

test("SETTINGS are acknowledged, and a smaller table is used by the next request", () => {
  const far = new FarSide();
  far.ask();
  far.heard();
  far.say(settings([SETTING.headerTableSize, 0], [0x99, 7]));
  far.ask();
  const [ack, headers] = far.heard();
  assert.deepEqual([ack?.type, ack?.flags, ack?.payload.length], [FRAME.settings, FLAG.ack, 0]);
  assert.equal(headers?.payload[0], 0x20);
  assert.equal(far.session.streamsMax, Infinity);
  far.say(settings([SETTING.maxConcurrentStreams, 3]));
  assert.equal(far.session.streamsMax, 3);
});
