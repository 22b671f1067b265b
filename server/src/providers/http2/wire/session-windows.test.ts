import assert from "node:assert/strict";
import { test } from "node:test";
import { ERROR_CODE, FRAME_FLAG, FRAME_TYPE, SETTING_ID } from "./codes.ts";
import {
  createEmptyResponse,
  createDataFrame,
  ScriptedServer,
  createHeadersFrame,
  encodeUint32s,
  createSettingsFrame,
} from "./scripted-server.fixture.ts";
import type { Frame as TestFrame } from "../../../../test/support/http2-peer.ts";
import { CONNECTION_WINDOW_BYTES, STREAM_WINDOW_BYTES } from "./response-assembler.ts";

function listDataSizes(frames: readonly Required<TestFrame>[]): readonly number[] {
  return frames.filter(({ type }) => type === FRAME_TYPE.data).map(({ payload }) => payload.length);
}

test("a body waits for the windows of its stream and of the connection", () => {
  const server = new ScriptedServer(createSettingsFrame([SETTING_ID.initialWindowSize, 40_000]));
  server.takeClientFrames();
  server.startClientRequest({ body: Buffer.alloc(100_000) });
  // 40,000 bytes fill the window of the stream. A frame has at most 16,384.
  assert.deepEqual(listDataSizes(server.takeClientFrames()), [16_384, 16_384, 7_232]);
  server.send({ type: FRAME_TYPE.windowUpdate, streamId: 1, payload: encodeUint32s(50_000) });
  // 65,535 bytes in all fill the initial window of the connection.
  assert.deepEqual(listDataSizes(server.takeClientFrames()), [16_384, 9_151]);
  assert.equal(server.session.isWindowClosed, true);
  server.send({ type: FRAME_TYPE.windowUpdate, payload: encodeUint32s(100_000) });
  assert.equal(server.session.isWindowClosed, false);
  // 90,000 bytes in all fill the window of the stream again.
  assert.deepEqual(listDataSizes(server.takeClientFrames()), [16_384, 8_081]);
  server.send({ type: FRAME_TYPE.windowUpdate, streamId: 1, payload: encodeUint32s(10_000) });
  const lastFrames = server.takeClientFrames();
  assert.deepEqual(listDataSizes(lastFrames), [10_000]);
  assert.equal(lastFrames.at(-1)?.flags, FRAME_FLAG.endStream);
});

test("a window that SETTINGS shrink below zero stops the body until it reopens", () => {
  const server = new ScriptedServer(createSettingsFrame([SETTING_ID.initialWindowSize, 1_000]));
  server.startClientRequest({ body: Buffer.alloc(2_000) });
  server.takeClientFrames();
  server.send(createSettingsFrame([SETTING_ID.initialWindowSize, 0]));
  server.send({ type: FRAME_TYPE.windowUpdate, streamId: 1, payload: encodeUint32s(1_000) });
  assert.deepEqual(listDataSizes(server.takeClientFrames()), []);
  server.send({ type: FRAME_TYPE.windowUpdate, streamId: 1, payload: encodeUint32s(1) });
  assert.deepEqual(listDataSizes(server.takeClientFrames()), [1]);
  server.send(createSettingsFrame([SETTING_ID.initialWindowSize, 5_000]));
  assert.deepEqual(listDataSizes(server.takeClientFrames()), [999]);
});

test("bodies that wait for the connection's window continue in request order", () => {
  const server = new ScriptedServer();
  // The initial window of the connection, 65,535 bytes, ends within the second body.
  for (const size of [65_000, 600, 600]) server.startClientRequest({ body: Buffer.alloc(size) });
  server.takeClientFrames();
  server.send({ type: FRAME_TYPE.windowUpdate, payload: encodeUint32s(300) });
  const frames = server.takeClientFrames().filter(({ type }) => type === FRAME_TYPE.data);
  assert.deepEqual(
    frames.map(({ streamId, payload }) => [streamId, payload.length]),
    [
      [3, 65],
      [5, 235],
    ],
  );
});

test("a server that opens its window in small increments is not treated as a flood", () => {
  const server = new ScriptedServer(createSettingsFrame([SETTING_ID.initialWindowSize, 1]));
  server.startClientRequest({ body: Buffer.alloc(12_000) });
  server.takeClientFrames();
  for (let updateCount = 1; updateCount < 12_000; updateCount += 1) {
    server.send({ type: FRAME_TYPE.windowUpdate, streamId: 1, payload: encodeUint32s(1) });
  }
  server.send(createEmptyResponse(1));
  assert.deepEqual(server.describeEnds(), { 1: "200" });
});

test("a complete response ends a request whose body is only partly sent", () => {
  const server = new ScriptedServer(createSettingsFrame([SETTING_ID.initialWindowSize, 1]));
  server.startClientRequest();
  server.takeClientFrames();
  server.send(createEmptyResponse(1));
  assert.deepEqual(server.takeClientCodes(FRAME_TYPE.rstStream), [ERROR_CODE.cancel]);
  server.send({ type: FRAME_TYPE.windowUpdate, streamId: 1, payload: encodeUint32s(10) });
  assert.deepEqual(server.takeClientFrames(), []);
  assert.deepEqual(server.describeEnds(), { 1: "200" });
});

const PADDING_BYTES = 256;
/** A DATA frame that is all padding. */
const PADDING_FRAME: TestFrame = {
  type: FRAME_TYPE.data,
  flags: FRAME_FLAG.padded,
  streamId: 1,
  payload: Buffer.concat([Buffer.of(PADDING_BYTES - 1), Buffer.alloc(PADDING_BYTES - 1)]),
};

test("the window of a stream is widened after half of it was received", () => {
  const server = new ScriptedServer();
  server.startClientRequest();
  server.send(createHeadersFrame(1));
  server.takeClientFrames();
  const halfWindowBytes = STREAM_WINDOW_BYTES / 2;
  for (let sentBytes = 0; sentBytes < halfWindowBytes; sentBytes += PADDING_BYTES)
    server.send(PADDING_FRAME);
  const streamUpdates = server
    .takeClientFrames()
    .filter(({ type }) => type === FRAME_TYPE.windowUpdate);
  assert.deepEqual(
    streamUpdates.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
    [[1, halfWindowBytes]],
  );
});

test("DATA of a cancelled request counts towards the next widening of the connection's window", () => {
  const server = new ScriptedServer();
  server.startClientRequest();
  server.session.cancel(server.startClientRequest(), new Error("Enough."));
  server.takeClientFrames();
  const halfWindowBytes = CONNECTION_WINDOW_BYTES / 2;
  for (let sentBytes = 0; sentBytes < halfWindowBytes; sentBytes += 16_384)
    server.send(createDataFrame(3, "x".repeat(16_384)));
  const connectionUpdates = server
    .takeClientFrames()
    .filter(({ type }) => type === FRAME_TYPE.windowUpdate);
  assert.deepEqual(
    connectionUpdates.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
    [[0, halfWindowBytes]],
  );
});

test("a response that exceeds its window is reset and keeps its status", () => {
  const server = new ScriptedServer();
  server.startClientRequest();
  server.send(createHeadersFrame(1));
  server.takeClientFrames();
  // One frame less than half of the window, so the window is not widened.
  const paddingBytes = STREAM_WINDOW_BYTES / 2 - PADDING_BYTES;
  for (let sentBytes = 0; sentBytes < paddingBytes; sentBytes += PADDING_BYTES)
    server.send(PADDING_FRAME);
  server.send(createDataFrame(1, "x".repeat(STREAM_WINDOW_BYTES)));
  assert.deepEqual(server.takeClientCodes(FRAME_TYPE.rstStream), [ERROR_CODE.flowControlError]);
  assert.deepEqual(server.describeEnds(), { 1: "200" });
});
