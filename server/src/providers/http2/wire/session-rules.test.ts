import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE, FLAG, FRAME, SETTING } from "./codes.ts";
import {
  answer,
  data,
  ScriptedServer,
  head,
  numbers,
  settings,
} from "./scripted-server.fixture.ts";
import type { Frame as Said } from "../../../../test/support/http2-peer.ts";

const empty = Buffer.alloc(0);
const { protocolError, frameSizeError, flowControlError, compressionError, enhanceYourCalm } = CODE;

function on(streamId: number, type: number, payload: Buffer = empty, flags = 0): Said {
  return { type, streamId, payload, flags };
}

/** Frames that end the connection while two requests are under way, on streams 1 and 3. */
const ENDS_ALL: readonly (readonly [what: string, code: number, frames: readonly Said[]])[] = [
  ["SETTINGS on a stream", protocolError, [{ ...settings(), streamId: 1 }]],
  ["SETTINGS within a setting", frameSizeError, [on(0, FRAME.settings, Buffer.alloc(5))]],
  [
    "an acknowledgement of SETTINGS that says more",
    frameSizeError,
    [{ ...settings([1, 1]), flags: FLAG.ack }],
  ],
  ["a server that wants pushes", protocolError, [settings([SETTING.enablePush, 1])]],
  [
    "an initial window too large",
    flowControlError,
    [settings([SETTING.initialWindowSize, 2 ** 31])],
  ],
  [
    "a window that the initial one makes too wide",
    flowControlError,
    [
      on(1, FRAME.windowUpdate, numbers(2 ** 30)),
      settings([SETTING.initialWindowSize, 2 ** 31 - 1]),
    ],
  ],
  ["a largest frame too small", protocolError, [settings([SETTING.maxFrameSize, 16_383])]],
  ["a largest frame too large", protocolError, [settings([SETTING.maxFrameSize, 2 ** 24])]],
  ["a PING that is short", frameSizeError, [on(0, FRAME.ping, Buffer.alloc(7))]],
  ["a PING on a stream", protocolError, [on(1, FRAME.ping, Buffer.alloc(8))]],
  ["a GOAWAY that is short", frameSizeError, [on(0, FRAME.goaway, Buffer.alloc(7))]],
  ["a GOAWAY on a stream", protocolError, [on(1, FRAME.goaway, Buffer.alloc(8))]],
  [
    "a GOAWAY that takes back another",
    protocolError,
    [on(0, FRAME.goaway, numbers(1, 0)), on(0, FRAME.goaway, numbers(3, 0))],
  ],
  ["DATA on no stream", protocolError, [data(0, "x")]],
  ["DATA on a stream that was never opened", protocolError, [data(5, "x")]],
  ["HEADERS on no stream", protocolError, [head(0)]],
  ["HEADERS on a stream that was never opened", protocolError, [head(5)]],
  ["HEADERS on a stream of the server's", protocolError, [head(2)]],
  [
    "a promise to push",
    protocolError,
    [on(1, FRAME.pushPromise, Buffer.from("0000000282", "hex"), FLAG.endHeaders)],
  ],
  ["CONTINUATION of nothing", protocolError, [on(1, FRAME.continuation)]],
  ["CONTINUATION of another stream", protocolError, [head(1, "88", 0), on(3, FRAME.continuation)]],
  ["a frame within a block", protocolError, [head(1, "88", 0), on(0, FRAME.ping, Buffer.alloc(8))]],
  ["an unknown frame within a block", protocolError, [head(1, "88", 0), on(1, 0xfa)]],
  [
    "a block that does not end",
    enhanceYourCalm,
    [head(1, "88", 0), ...Array.from({ length: 16 }, () => on(1, FRAME.continuation))],
  ],
  ["a block without sense", compressionError, [head(1, "80")]],
  [
    "a block without sense on a stream that has ended",
    compressionError,
    [answer(1), head(1, "ff")],
  ],
  [
    "padding longer than its frame",
    protocolError,
    [on(1, FRAME.data, Buffer.from("0561", "hex"), FLAG.padded)],
  ],
  ["padding without a length", frameSizeError, [on(1, FRAME.data, empty, FLAG.padded)]],
  [
    "a priority longer than its frame",
    protocolError,
    [on(1, FRAME.headers, Buffer.from("88", "hex"), FLAG.endHeaders | FLAG.priority)],
  ],
  ["PRIORITY on no stream", protocolError, [on(0, FRAME.priority, Buffer.alloc(5))]],
  ["PRIORITY that is short", frameSizeError, [on(1, FRAME.priority, Buffer.alloc(4))]],
  ["RST_STREAM on no stream", protocolError, [on(0, FRAME.rstStream, numbers(0))]],
  [
    "RST_STREAM of a stream that was never opened",
    protocolError,
    [on(5, FRAME.rstStream, numbers(0))],
  ],
  ["RST_STREAM that is long", frameSizeError, [on(1, FRAME.rstStream, numbers(0, 0))]],
  ["a window that opens by nothing", protocolError, [on(0, FRAME.windowUpdate, numbers(0))]],
  ["a window too wide", flowControlError, [on(0, FRAME.windowUpdate, numbers(2 ** 31 - 1))]],
  ["a window update that is short", frameSizeError, [on(0, FRAME.windowUpdate, Buffer.alloc(3))]],
  ["a frame larger than we take", frameSizeError, [on(1, FRAME.data, Buffer.alloc(16_385))]],
  ["a flood of frames", enhanceYourCalm, Array.from({ length: 10_001 }, () => on(0, 0xfa))],
];

for (const [what, code, frames] of ENDS_ALL) {
  test(`${what} ends the connection`, () => {
    const server = new ScriptedServer();
    server.ask();
    server.ask();
    server.written();
    server.say(...frames);
    assert.deepEqual(server.codesWritten(FRAME.goaway), [code]);
    assert.equal(server.broken.length, 1);
    assert.equal(server.ends.length, 2);
    assert.ok(Object.values(server.kinds()).every((kind) => kind !== "404"));
    server.say(answer(3, "8d"));
    assert.equal(server.ends.length, 2);
  });
}

test("a connection that does not begin with SETTINGS is ended", () => {
  for (const first of [
    answer(1),
    on(0, FRAME.ping, Buffer.alloc(8)),
    { ...settings(), flags: FLAG.ack },
  ]) {
    const server = new ScriptedServer(null);
    server.ask();
    server.say(first);
    assert.deepEqual(server.codesWritten(FRAME.goaway), [protocolError]);
    assert.deepEqual(server.kinds(), { 1: "lost" });
  }
});

/** `a`, with a value of 4,096 bytes. */
const LONG_FIELD = `0001617f811f${"62".repeat(4_096)}`;

const ENDS_ONE: readonly (readonly [what: string, code: number, frames: readonly Said[]])[] = [
  ["an answer without a status", protocolError, [answer(1, "0001610162")]],
  ["an answer whose status comes late", protocolError, [answer(1, "000161016288")]],
  ["an answer with two statuses", protocolError, [answer(1, "8888")]],
  ["an answer whose status is no number", protocolError, [answer(1, "08036f6b21")]],
  ["an answer that switches protocols", protocolError, [head(1, "0803313031")]],
  ["an answer with a pseudo-header of requests", protocolError, [answer(1, "8884")]],
  ["an answer with a name in capitals", protocolError, [answer(1, "880001410162")]],
  ["an answer with a line break in a value", protocolError, [answer(1, "88000161020a62")]],
  ["an answer with white space around a value", protocolError, [answer(1, "88000161022062")]],
  [
    "an answer with a header of connections",
    protocolError,
    [answer(1, "88000a636f6e6e656374696f6e0162")],
  ],
  ["an answer that begins with its body", protocolError, [data(1, "x", FLAG.endStream)]],
  ["an interim answer that ends the stream", protocolError, [answer(1, "0803313033")]],
  [
    "interim answers without end",
    protocolError,
    Array.from({ length: 17 }, () => head(1, "0803313033")),
  ],
  ["more fields than are taken", protocolError, splitBlock(head(1, `88${LONG_FIELD.repeat(5)}`))],
  [
    "a window of a stream that opens by nothing",
    protocolError,
    [on(1, FRAME.windowUpdate, numbers(0))],
  ],
  [
    "a window of a stream too wide",
    flowControlError,
    [on(1, FRAME.windowUpdate, numbers(2 ** 31 - 1))],
  ],
];

/** Splits a head that is larger than a frame into HEADERS and CONTINUATION. */
function splitBlock({ payload = empty, streamId = 0 }: Said): readonly Said[] {
  const parts: Said[] = [];
  for (let at = 0; at < payload.length; at += 16_000) {
    const part = payload.subarray(at, at + 16_000);
    const flags = at + 16_000 >= payload.length ? FLAG.endHeaders : 0;
    parts.push({
      type: at === 0 ? FRAME.headers : FRAME.continuation,
      flags,
      streamId,
      payload: part,
    });
  }
  return parts;
}

for (const [what, code, frames] of ENDS_ONE) {
  test(`${what} ends its stream alone`, () => {
    const server = new ScriptedServer();
    server.ask();
    server.ask();
    server.written();
    server.say(...frames);
    assert.deepEqual(server.codesWritten(FRAME.rstStream), [code]);
    assert.deepEqual(server.kinds(), { 1: "lost" });
    server.say(answer(3));
    assert.deepEqual(server.kinds(), { 1: "lost", 3: "200" });
  });
}

test("frames after a status that has come do not take it away", () => {
  for (const after of [
    data(1, "x".repeat(4_097)),
    head(1, "0001610162"),
    head(1, "88"),
    answer(1, "88"),
    on(1, FRAME.rstStream, numbers(CODE.protocolError)),
    on(1, FRAME.rstStream, numbers(CODE.refusedStream)),
  ]) {
    const server = new ScriptedServer();
    server.ask();
    server.say(head(1), after);
    assert.deepEqual(server.kinds(), { 1: "200" });
  }
});
