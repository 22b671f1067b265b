import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE, FLAG, FRAME, SETTING } from "./codes.ts";
import {
  emptyResponse,
  dataFrame,
  ScriptedServer,
  headersFrame,
  numbers,
  settings,
} from "./scripted-server.fixture.ts";
import type { Frame as TestFrame } from "../../../../test/support/http2-peer.ts";

const empty = Buffer.alloc(0);
const { protocolError, frameSizeError, flowControlError, compressionError, enhanceYourCalm } = CODE;

function frameOn(streamId: number, type: number, payload: Buffer = empty, flags = 0): TestFrame {
  return { type, streamId, payload, flags };
}

/** Frames that end the connection while two requests are pending, on streams 1 and 3. */
const CONNECTION_ERRORS: readonly (readonly [
  name: string,
  code: number,
  frames: readonly TestFrame[],
])[] = [
  ["SETTINGS on a stream", protocolError, [{ ...settings(), streamId: 1 }]],
  [
    "SETTINGS with an incomplete setting",
    frameSizeError,
    [frameOn(0, FRAME.settings, Buffer.alloc(5))],
  ],
  [
    "a SETTINGS acknowledgement with a payload",
    frameSizeError,
    [{ ...settings([1, 1]), flags: FLAG.ack }],
  ],
  ["a server that enables push", protocolError, [settings([SETTING.enablePush, 1])]],
  [
    "an initial window that is too large",
    flowControlError,
    [settings([SETTING.initialWindowSize, 2 ** 31])],
  ],
  [
    "an initial window that makes a stream's window too large",
    flowControlError,
    [
      frameOn(1, FRAME.windowUpdate, numbers(2 ** 30)),
      settings([SETTING.initialWindowSize, 2 ** 31 - 1]),
    ],
  ],
  ["a frame limit that is too small", protocolError, [settings([SETTING.maxFrameSize, 16_383])]],
  ["a frame limit that is too large", protocolError, [settings([SETTING.maxFrameSize, 2 ** 24])]],
  ["a PING that is short", frameSizeError, [frameOn(0, FRAME.ping, Buffer.alloc(7))]],
  ["a PING on a stream", protocolError, [frameOn(1, FRAME.ping, Buffer.alloc(8))]],
  ["a GOAWAY that is short", frameSizeError, [frameOn(0, FRAME.goaway, Buffer.alloc(7))]],
  ["a GOAWAY on a stream", protocolError, [frameOn(1, FRAME.goaway, Buffer.alloc(8))]],
  [
    "a GOAWAY that raises the last stream again",
    protocolError,
    [frameOn(0, FRAME.goaway, numbers(1, 0)), frameOn(0, FRAME.goaway, numbers(3, 0))],
  ],
  ["DATA on no stream", protocolError, [dataFrame(0, "x")]],
  ["DATA on a stream that was never opened", protocolError, [dataFrame(5, "x")]],
  ["HEADERS on no stream", protocolError, [headersFrame(0)]],
  ["HEADERS on a stream that was never opened", protocolError, [headersFrame(5)]],
  ["HEADERS on a server stream", protocolError, [headersFrame(2)]],
  [
    "PUSH_PROMISE",
    protocolError,
    [frameOn(1, FRAME.pushPromise, Buffer.from("0000000282", "hex"), FLAG.endHeaders)],
  ],
  ["CONTINUATION without HEADERS", protocolError, [frameOn(1, FRAME.continuation)]],
  [
    "CONTINUATION of another stream",
    protocolError,
    [headersFrame(1, "88", 0), frameOn(3, FRAME.continuation)],
  ],
  [
    "a frame within a block",
    protocolError,
    [headersFrame(1, "88", 0), frameOn(0, FRAME.ping, Buffer.alloc(8))],
  ],
  ["an unknown frame within a block", protocolError, [headersFrame(1, "88", 0), frameOn(1, 0xfa)]],
  [
    "a block that does not end",
    enhanceYourCalm,
    [headersFrame(1, "88", 0), ...Array.from({ length: 16 }, () => frameOn(1, FRAME.continuation))],
  ],
  ["a malformed block", compressionError, [headersFrame(1, "80")]],
  [
    "a malformed block on a stream that has ended",
    compressionError,
    [emptyResponse(1), headersFrame(1, "ff")],
  ],
  [
    "padding longer than its frame",
    protocolError,
    [frameOn(1, FRAME.data, Buffer.from("0561", "hex"), FLAG.padded)],
  ],
  ["padding without a length", frameSizeError, [frameOn(1, FRAME.data, empty, FLAG.padded)]],
  [
    "a priority longer than its frame",
    protocolError,
    [frameOn(1, FRAME.headers, Buffer.from("88", "hex"), FLAG.endHeaders | FLAG.priority)],
  ],
  ["PRIORITY on no stream", protocolError, [frameOn(0, FRAME.priority, Buffer.alloc(5))]],
  ["PRIORITY that is short", frameSizeError, [frameOn(1, FRAME.priority, Buffer.alloc(4))]],
  ["RST_STREAM on no stream", protocolError, [frameOn(0, FRAME.rstStream, numbers(0))]],
  [
    "RST_STREAM of a stream that was never opened",
    protocolError,
    [frameOn(5, FRAME.rstStream, numbers(0))],
  ],
  ["RST_STREAM that is long", frameSizeError, [frameOn(1, FRAME.rstStream, numbers(0, 0))]],
  ["a window update of zero", protocolError, [frameOn(0, FRAME.windowUpdate, numbers(0))]],
  [
    "a window that is too large",
    flowControlError,
    [frameOn(0, FRAME.windowUpdate, numbers(2 ** 31 - 1))],
  ],
  [
    "a window update that is short",
    frameSizeError,
    [frameOn(0, FRAME.windowUpdate, Buffer.alloc(3))],
  ],
  ["a frame that is too large", frameSizeError, [frameOn(1, FRAME.data, Buffer.alloc(16_385))]],
  ["a flood of frames", enhanceYourCalm, Array.from({ length: 10_001 }, () => frameOn(0, 0xfa))],
];

for (const [name, code, frames] of CONNECTION_ERRORS) {
  test(`${name} ends the connection`, () => {
    const server = new ScriptedServer();
    server.request();
    server.request();
    server.written();
    server.send(...frames);
    assert.deepEqual(server.codesWritten(FRAME.goaway), [code]);
    assert.equal(server.broken.length, 1);
    assert.equal(server.ends.length, 2);
    assert.ok(Object.values(server.kinds()).every((kind) => kind !== "404"));
    server.send(emptyResponse(3, "8d"));
    assert.equal(server.ends.length, 2);
  });
}

test("a connection that does not begin with SETTINGS is ended", () => {
  for (const first of [
    emptyResponse(1),
    frameOn(0, FRAME.ping, Buffer.alloc(8)),
    { ...settings(), flags: FLAG.ack },
  ]) {
    const server = new ScriptedServer(null);
    server.request();
    server.send(first);
    assert.deepEqual(server.codesWritten(FRAME.goaway), [protocolError]);
    assert.deepEqual(server.kinds(), { 1: "lost" });
  }
});

/** `a`, with a value of 4,096 bytes. */
const LONG_FIELD = `0001617f811f${"62".repeat(4_096)}`;

const STREAM_ERRORS: readonly (readonly [
  name: string,
  code: number,
  frames: readonly TestFrame[],
])[] = [
  ["a response without a status", protocolError, [emptyResponse(1, "0001610162")]],
  ["a response with a late status", protocolError, [emptyResponse(1, "000161016288")]],
  ["a response with two statuses", protocolError, [emptyResponse(1, "8888")]],
  [
    "a response with a status that is not a number",
    protocolError,
    [emptyResponse(1, "08036f6b21")],
  ],
  ["a response that switches protocols", protocolError, [headersFrame(1, "0803313031")]],
  ["a response with a request pseudo-header", protocolError, [emptyResponse(1, "8884")]],
  ["a response with a field name in capitals", protocolError, [emptyResponse(1, "880001410162")]],
  ["a response with a line break in a value", protocolError, [emptyResponse(1, "88000161020a62")]],
  [
    "a response with white space around a value",
    protocolError,
    [emptyResponse(1, "88000161022062")],
  ],
  [
    "a response with a connection-specific field",
    protocolError,
    [emptyResponse(1, "88000a636f6e6e656374696f6e0162")],
  ],
  ["a response that begins with its body", protocolError, [dataFrame(1, "x", FLAG.endStream)]],
  ["an interim response that ends the stream", protocolError, [emptyResponse(1, "0803313033")]],
  [
    "endless interim responses",
    protocolError,
    Array.from({ length: 17 }, () => headersFrame(1, "0803313033")),
  ],
  [
    "a field list that is too large",
    protocolError,
    splitBlock(headersFrame(1, `88${LONG_FIELD.repeat(5)}`)),
  ],
  ["a stream's window update of zero", protocolError, [frameOn(1, FRAME.windowUpdate, numbers(0))]],
  [
    "a stream window that is too large",
    flowControlError,
    [frameOn(1, FRAME.windowUpdate, numbers(2 ** 31 - 1))],
  ],
];

/** Splits a block that is larger than a frame into HEADERS and CONTINUATION. */
function splitBlock({ payload = empty, streamId = 0 }: TestFrame): readonly TestFrame[] {
  const parts: TestFrame[] = [];
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

for (const [name, code, frames] of STREAM_ERRORS) {
  test(`${name} ends only its stream`, () => {
    const server = new ScriptedServer();
    server.request();
    server.request();
    server.written();
    server.send(...frames);
    assert.deepEqual(server.codesWritten(FRAME.rstStream), [code]);
    assert.deepEqual(server.kinds(), { 1: "lost" });
    server.send(emptyResponse(3));
    assert.deepEqual(server.kinds(), { 1: "lost", 3: "200" });
  });
}

test("a response with a status survives invalid frames after it", () => {
  for (const frame of [
    dataFrame(1, "x".repeat(4_097)),
    headersFrame(1, "0001610162"),
    headersFrame(1, "88"),
    emptyResponse(1, "88"),
    frameOn(1, FRAME.rstStream, numbers(CODE.protocolError)),
    frameOn(1, FRAME.rstStream, numbers(CODE.refusedStream)),
  ]) {
    const server = new ScriptedServer();
    server.request();
    server.send(headersFrame(1), frame);
    assert.deepEqual(server.kinds(), { 1: "200" });
  }
});
