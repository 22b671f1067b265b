import assert from "node:assert/strict";
import { test } from "node:test";
import { ERROR_CODE, FRAME_FLAG, FRAME_TYPE, SETTING_ID } from "./codes.ts";
import {
  createEmptyResponse,
  createDataFrame,
  createFrame,
  ScriptedServer,
  createHeadersFrame,
  encodeUint32s,
  createSettingsFrame,
  STATUS_200,
  STATUS_404,
} from "./scripted-server.fixture.ts";
import type { Frame as TestFrame } from "../../../../test/support/http2-peer.ts";

const empty = Buffer.alloc(0);
const UNKNOWN_FRAME_TYPE = 0xfa;
const { protocolError, frameSizeError, flowControlError, compressionError, enhanceYourCalm } =
  ERROR_CODE;

/** Frames that end the connection while two requests are pending, on streams 1 and 3. */
const CONNECTION_ERRORS: readonly (readonly [
  name: string,
  code: number,
  frames: readonly TestFrame[],
])[] = [
  ["SETTINGS on a stream", protocolError, [{ ...createSettingsFrame(), streamId: 1 }]],
  [
    "SETTINGS with an incomplete setting",
    frameSizeError,
    [createFrame(0, FRAME_TYPE.settings, Buffer.alloc(5))],
  ],
  [
    "a SETTINGS acknowledgement with a payload",
    frameSizeError,
    [{ ...createSettingsFrame([1, 1]), flags: FRAME_FLAG.ack }],
  ],
  ["a server that enables push", protocolError, [createSettingsFrame([SETTING_ID.enablePush, 1])]],
  [
    "an initial window that is too large",
    flowControlError,
    [createSettingsFrame([SETTING_ID.initialWindowSize, 2 ** 31])],
  ],
  [
    "an initial window that makes a stream's window too large",
    flowControlError,
    [
      createFrame(1, FRAME_TYPE.windowUpdate, encodeUint32s(2 ** 30)),
      createSettingsFrame([SETTING_ID.initialWindowSize, 2 ** 31 - 1]),
    ],
  ],
  [
    "a frame limit that is too small",
    protocolError,
    [createSettingsFrame([SETTING_ID.maxFrameSize, 16_383])],
  ],
  [
    "a frame limit that is too large",
    protocolError,
    [createSettingsFrame([SETTING_ID.maxFrameSize, 2 ** 24])],
  ],
  ["a PING that is short", frameSizeError, [createFrame(0, FRAME_TYPE.ping, Buffer.alloc(7))]],
  ["a PING on a stream", protocolError, [createFrame(1, FRAME_TYPE.ping, Buffer.alloc(8))]],
  ["a GOAWAY that is short", frameSizeError, [createFrame(0, FRAME_TYPE.goaway, Buffer.alloc(7))]],
  ["a GOAWAY on a stream", protocolError, [createFrame(1, FRAME_TYPE.goaway, Buffer.alloc(8))]],
  [
    "a GOAWAY that raises the last stream again",
    protocolError,
    [
      createFrame(0, FRAME_TYPE.goaway, encodeUint32s(1, 0)),
      createFrame(0, FRAME_TYPE.goaway, encodeUint32s(3, 0)),
    ],
  ],
  ["DATA on no stream", protocolError, [createDataFrame(0, "x")]],
  ["DATA on a stream that was never opened", protocolError, [createDataFrame(5, "x")]],
  ["HEADERS on no stream", protocolError, [createHeadersFrame(0)]],
  ["HEADERS on a stream that was never opened", protocolError, [createHeadersFrame(5)]],
  ["HEADERS on a server stream", protocolError, [createHeadersFrame(2)]],
  [
    "PUSH_PROMISE",
    protocolError,
    [
      createFrame(
        1,
        FRAME_TYPE.pushPromise,
        Buffer.from("0000000282", "hex"),
        FRAME_FLAG.endHeaders,
      ),
    ],
  ],
  ["CONTINUATION without HEADERS", protocolError, [createFrame(1, FRAME_TYPE.continuation)]],
  [
    "CONTINUATION of another stream",
    protocolError,
    [createHeadersFrame(1, STATUS_200, 0), createFrame(3, FRAME_TYPE.continuation)],
  ],
  [
    "a frame within a block",
    protocolError,
    [createHeadersFrame(1, STATUS_200, 0), createFrame(0, FRAME_TYPE.ping, Buffer.alloc(8))],
  ],
  [
    "an unknown frame within a block",
    protocolError,
    [createHeadersFrame(1, STATUS_200, 0), createFrame(1, UNKNOWN_FRAME_TYPE)],
  ],
  [
    "a block that does not end",
    enhanceYourCalm,
    [
      createHeadersFrame(1, STATUS_200, 0),
      ...Array.from({ length: 16 }, () => createFrame(1, FRAME_TYPE.continuation)),
    ],
  ],
  ["a malformed block", compressionError, [createHeadersFrame(1, "80")]],
  [
    "a malformed block on a stream that has ended",
    compressionError,
    [createEmptyResponse(1), createHeadersFrame(1, "ff")],
  ],
  [
    "padding longer than its frame",
    protocolError,
    [createFrame(1, FRAME_TYPE.data, Buffer.from("0561", "hex"), FRAME_FLAG.padded)],
  ],
  [
    "padding without a length",
    frameSizeError,
    [createFrame(1, FRAME_TYPE.data, empty, FRAME_FLAG.padded)],
  ],
  [
    "a priority longer than its frame",
    protocolError,
    [
      createFrame(
        1,
        FRAME_TYPE.headers,
        Buffer.from("88", "hex"),
        FRAME_FLAG.endHeaders | FRAME_FLAG.priority,
      ),
    ],
  ],
  ["PRIORITY on no stream", protocolError, [createFrame(0, FRAME_TYPE.priority, Buffer.alloc(5))]],
  [
    "PRIORITY that is short",
    frameSizeError,
    [createFrame(1, FRAME_TYPE.priority, Buffer.alloc(4))],
  ],
  [
    "RST_STREAM on no stream",
    protocolError,
    [createFrame(0, FRAME_TYPE.rstStream, encodeUint32s(0))],
  ],
  [
    "RST_STREAM of a stream that was never opened",
    protocolError,
    [createFrame(5, FRAME_TYPE.rstStream, encodeUint32s(0))],
  ],
  [
    "RST_STREAM that is long",
    frameSizeError,
    [createFrame(1, FRAME_TYPE.rstStream, encodeUint32s(0, 0))],
  ],
  [
    "a window update of zero",
    protocolError,
    [createFrame(0, FRAME_TYPE.windowUpdate, encodeUint32s(0))],
  ],
  [
    "a window that is too large",
    flowControlError,
    [createFrame(0, FRAME_TYPE.windowUpdate, encodeUint32s(2 ** 31 - 1))],
  ],
  [
    "a window update that is short",
    frameSizeError,
    [createFrame(0, FRAME_TYPE.windowUpdate, Buffer.alloc(3))],
  ],
  [
    "a frame that is too large",
    frameSizeError,
    [createFrame(1, FRAME_TYPE.data, Buffer.alloc(16_385))],
  ],
  [
    "a flood of frames",
    enhanceYourCalm,
    Array.from({ length: 10_001 }, () => createFrame(0, UNKNOWN_FRAME_TYPE)),
  ],
];

for (const [name, code, frames] of CONNECTION_ERRORS) {
  test(`${name} ends the connection`, () => {
    const server = new ScriptedServer();
    server.startClientRequest();
    server.startClientRequest();
    server.takeClientFrames();
    server.send(...frames);
    assert.deepEqual(server.takeClientCodes(FRAME_TYPE.goaway), [code]);
    assert.equal(server.protocolErrors.length, 1);
    assert.equal(server.ends.length, 2);
    assert.ok(Object.values(server.describeEnds()).every((kind) => kind !== "404"));
    server.send(createEmptyResponse(3, STATUS_404));
    assert.equal(server.ends.length, 2);
  });
}

test("a connection that does not begin with SETTINGS is ended", () => {
  for (const firstFrame of [
    createEmptyResponse(1),
    createFrame(0, FRAME_TYPE.ping, Buffer.alloc(8)),
    { ...createSettingsFrame(), flags: FRAME_FLAG.ack },
  ]) {
    const server = new ScriptedServer(null);
    server.startClientRequest();
    server.send(firstFrame);
    assert.deepEqual(server.takeClientCodes(FRAME_TYPE.goaway), [protocolError]);
    assert.deepEqual(server.describeEnds(), { 1: "lost" });
  }
});
