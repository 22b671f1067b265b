import assert from "node:assert/strict";
import { test } from "node:test";
import { RESPONSE_MAX_BYTES } from "../../post.ts";
import { ERROR_CODE, FRAME_FLAG, FRAME_TYPE } from "./codes.ts";
import {
  createEmptyResponse,
  createDataFrame,
  createFrame,
  ScriptedServer,
  createHeadersFrame,
  encodeUint32s,
  STATUS_103,
} from "./scripted-server.fixture.ts";
import type { Frame as TestFrame } from "../../../../test/support/http2-peer.ts";

const empty = Buffer.alloc(0);
const { protocolError, flowControlError } = ERROR_CODE;

/** The size of each part of a split block, which fits into one frame. */
const PART_BYTES = 16_000;

/** The encoded header field `a`, with a value of 4,096 bytes, in hexadecimal. */
const LONG_FIELD = `0001617f811f${"62".repeat(4_096)}`;

const STREAM_ERRORS: readonly (readonly [
  name: string,
  code: number,
  frames: readonly TestFrame[],
])[] = [
  ["a response without a status", protocolError, [createEmptyResponse(1, "0001610162")]],
  ["a response with a late status", protocolError, [createEmptyResponse(1, "000161016288")]],
  ["a response with two statuses", protocolError, [createEmptyResponse(1, "8888")]],
  [
    "a response with a status that is not a number",
    protocolError,
    [createEmptyResponse(1, "08036f6b21")],
  ],
  ["a response that switches protocols", protocolError, [createHeadersFrame(1, "0803313031")]],
  ["a response with a request pseudo-header", protocolError, [createEmptyResponse(1, "8884")]],
  [
    "a response with a field name in capitals",
    protocolError,
    [createEmptyResponse(1, "880001410162")],
  ],
  [
    "a response with a line break in a value",
    protocolError,
    [createEmptyResponse(1, "88000161020a62")],
  ],
  [
    "a response with white space around a value",
    protocolError,
    [createEmptyResponse(1, "88000161022062")],
  ],
  [
    "a response with a connection-specific field",
    protocolError,
    [createEmptyResponse(1, "88000a636f6e6e656374696f6e0162")],
  ],
  [
    "a response that begins with its body",
    protocolError,
    [createDataFrame(1, "x", FRAME_FLAG.endStream)],
  ],
  ["an interim response that ends the stream", protocolError, [createEmptyResponse(1, STATUS_103)]],
  [
    "endless interim responses",
    protocolError,
    Array.from({ length: 17 }, () => createHeadersFrame(1, STATUS_103)),
  ],
  [
    "a field list that is too large",
    protocolError,
    splitBlock(createHeadersFrame(1, `88${LONG_FIELD.repeat(5)}`)),
  ],
  [
    "a stream's window update of zero",
    protocolError,
    [createFrame(1, FRAME_TYPE.windowUpdate, encodeUint32s(0))],
  ],
  [
    "a stream window that is too large",
    flowControlError,
    [createFrame(1, FRAME_TYPE.windowUpdate, encodeUint32s(2 ** 31 - 1))],
  ],
];

/** Splits a block that is larger than a frame into HEADERS and CONTINUATION. */
function splitBlock({ payload = empty, streamId = 0 }: TestFrame): readonly TestFrame[] {
  const parts: TestFrame[] = [];
  for (let offset = 0; offset < payload.length; offset += PART_BYTES) {
    const part = payload.subarray(offset, offset + PART_BYTES);
    const flags = offset + PART_BYTES >= payload.length ? FRAME_FLAG.endHeaders : 0;
    parts.push({
      type: offset === 0 ? FRAME_TYPE.headers : FRAME_TYPE.continuation,
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
    server.startClientRequest();
    server.startClientRequest();
    server.takeClientFrames();
    server.send(...frames);
    assert.deepEqual(server.takeClientCodes(FRAME_TYPE.rstStream), [code]);
    assert.deepEqual(server.describeEnds(), { 1: "lost" });
    server.send(createEmptyResponse(3));
    assert.deepEqual(server.describeEnds(), { 1: "lost", 3: "200" });
  });
}

test("a response with a status survives a reset or invalid frames after it", () => {
  for (const frame of [
    createDataFrame(1, "x".repeat(RESPONSE_MAX_BYTES + 1)),
    createHeadersFrame(1, "0001610162"),
    createHeadersFrame(1, "88"),
    createEmptyResponse(1, "88"),
    createFrame(1, FRAME_TYPE.rstStream, encodeUint32s(ERROR_CODE.protocolError)),
    createFrame(1, FRAME_TYPE.rstStream, encodeUint32s(ERROR_CODE.refusedStream)),
  ]) {
    const server = new ScriptedServer();
    server.startClientRequest();
    server.send(createHeadersFrame(1), frame);
    assert.deepEqual(server.describeEnds(), { 1: "200" });
  }
});
