import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ERROR_CODE, FRAME_TYPE } from "./codes.ts";
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
import type { Frame as TestFrame } from "../../../../test/support/http2-peer.ts";

const streamId = fc.constantFrom(1, 3, 5, 7);
const number = fc.constantFrom(0, 1, 100, 65_535, 2 ** 31 - 1, 2 ** 32 - 1);
/** Valid frames, some of them at a wrong time. */
const validFrame: fc.Arbitrary<TestFrame> = fc.oneof(
  streamId.map((id) => createEmptyResponse(id)),
  streamId.map((id) => createHeadersFrame(id, STATUS_200_AND_FIELD)),
  streamId.map((id) => createHeadersFrame(id, STATUS_103)),
  fc.tuple(streamId, fc.nat(5_000)).map(([id, size]) => createDataFrame(id, "x".repeat(size))),
  fc.tuple(fc.nat(6), number).map((pair) => createSettingsFrame(pair)),
  fc.tuple(streamId, number).map(([id, code]) => ({
    type: FRAME_TYPE.rstStream,
    streamId: id,
    payload: encodeUint32s(code),
  })),
  fc.tuple(fc.constantFrom(0, 1, 3), number).map(([id, increment]) => ({
    type: FRAME_TYPE.windowUpdate,
    streamId: id,
    payload: encodeUint32s(increment),
  })),
  fc.constant({ type: FRAME_TYPE.ping, payload: Buffer.alloc(8) }),
  number.map((last) => ({
    type: FRAME_TYPE.goaway,
    payload: encodeUint32s(last, ERROR_CODE.noError),
  })),
);
/** Frames with random types, flags and payloads. */
const randomFrame: fc.Arbitrary<TestFrame> = fc.record({
  type: fc.nat(11),
  flags: fc.nat(255),
  streamId: fc.nat(9),
  payload: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
});

type Action =
  | { readonly kind: "request"; readonly size: number }
  | { readonly kind: "cancel"; readonly streamIndex: number }
  | {
      readonly kind: "receive";
      readonly frames: readonly TestFrame[];
      /** The offset of the byte that is changed; none is changed if no frame has this offset. */
      readonly changedOffset: number;
      readonly newByte: number;
    };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant("request" as const), size: fc.constantFrom(0, 10, 70_000) }),
  fc.record({ kind: fc.constant("cancel" as const), streamIndex: fc.nat(3) }),
  fc.record({
    kind: fc.constant("receive" as const),
    frames: fc.array(fc.oneof({ weight: 5, arbitrary: validFrame }, randomFrame), { maxLength: 6 }),
    changedOffset: fc.integer({ min: -200, max: 100 }),
    newByte: fc.nat(255),
  }),
);

function runActions(server: ScriptedServer, actions: readonly Action[]): void {
  const streams = [];
  for (const current of actions) {
    if (current.kind === "request" && !server.session.isExhausted) {
      streams.push(server.startClientRequest({ body: Buffer.alloc(current.size) }));
    } else if (current.kind === "cancel") {
      const stream = streams[current.streamIndex];
      if (stream !== undefined) server.session.cancel(stream, new Error("Given up."));
    } else if (current.kind === "receive") {
      const bytes = encodeFrames(...current.frames);
      const { changedOffset, newByte } = current;
      if (changedOffset >= 0 && changedOffset < bytes.length) bytes[changedOffset] = newByte;
      const middle = bytes.length >> 1;
      server.session.receive(Buffer.from(bytes.subarray(0, middle)));
      server.session.receive(Buffer.from(bytes.subarray(middle)));
    }
    // Parses the session's output, which must be whole frames after any input.
    server.takeClientFrames();
  }
}

test("no frames make a session throw, and each request ends once", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const server = new ScriptedServer();
      runActions(server, actions);
      server.session.close(new Error("Bye."));
      const requestCount = actions.filter(({ kind }) => kind === "request").length;
      const endedIds = server.ends.map(({ streamId: id }) => id);
      assert.equal(new Set(endedIds).size, endedIds.length);
      assert.ok(endedIds.length <= requestCount);
      assert.equal(server.session.inFlightCount, 0);
      assert.ok(server.protocolErrors.length <= 1);
    }),
    { numRuns: 10_000 },
  );
});

test("no bytes make a session throw", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 });
  fc.assert(
    fc.property(chunks, (received) => {
      const server = new ScriptedServer();
      server.startClientRequest();
      for (const chunk of received) server.session.receive(Buffer.from(chunk));
      server.session.close(new Error("Bye."));
      assert.equal(server.ends.length, 1);
    }),
    { numRuns: 5_000 },
  );
});
