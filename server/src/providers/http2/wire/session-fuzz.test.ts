import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CODE, FRAME } from "./codes.ts";
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

/** Valid frames, some of them at a wrong time. */
const streamId = fc.constantFrom(1, 3, 5, 7);
const number = fc.constantFrom(0, 1, 100, 65_535, 2 ** 31 - 1, 2 ** 32 - 1);
const validFrame: fc.Arbitrary<TestFrame> = fc.oneof(
  streamId.map((id) => emptyResponse(id)),
  streamId.map((id) => headersFrame(id, "884001610162")),
  streamId.map((id) => headersFrame(id, "0803313033")),
  fc.tuple(streamId, fc.nat(5_000)).map(([id, size]) => dataFrame(id, "x".repeat(size))),
  fc.tuple(fc.nat(6), number).map((pair) => settings(pair)),
  fc.tuple(streamId, number).map(([id, code]) => ({
    type: FRAME.rstStream,
    streamId: id,
    payload: numbers(code),
  })),
  fc.tuple(fc.constantFrom(0, 1, 3), number).map(([id, increment]) => ({
    type: FRAME.windowUpdate,
    streamId: id,
    payload: numbers(increment),
  })),
  fc.constant({ type: FRAME.ping, payload: Buffer.alloc(8) }),
  number.map((last) => ({ type: FRAME.goaway, payload: numbers(last, CODE.noError) })),
);
/** Frames with random types, flags and payloads. */
const randomFrame: fc.Arbitrary<TestFrame> = fc.record({
  type: fc.nat(11),
  flags: fc.nat(255),
  streamId: fc.nat(9),
  payload: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
});

type Action =
  | { readonly kind: "ask"; readonly size: number }
  | { readonly kind: "cancel"; readonly which: number }
  | {
      readonly kind: "say";
      readonly frames: readonly TestFrame[];
      readonly at: number;
      readonly byte: number;
    };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant("ask" as const), size: fc.constantFrom(0, 10, 70_000) }),
  fc.record({ kind: fc.constant("cancel" as const), which: fc.nat(3) }),
  fc.record({
    kind: fc.constant("say" as const),
    frames: fc.array(fc.oneof({ weight: 5, arbitrary: validFrame }, randomFrame), { maxLength: 6 }),
    // One byte is changed, or none.
    at: fc.integer({ min: -200, max: 100 }),
    byte: fc.nat(255),
  }),
);

function runActions(server: ScriptedServer, actions: readonly Action[]): void {
  const streams = [];
  for (const step of actions) {
    if (step.kind === "ask" && !server.session.isSpent) {
      streams.push(server.request({ body: Buffer.alloc(step.size) }));
    } else if (step.kind === "cancel") {
      const stream = streams[step.which];
      if (stream !== undefined) server.session.cancel(stream, new Error("Given up."));
    } else if (step.kind === "say") {
      const bytes = bytesOf(...step.frames);
      if (step.at >= 0 && step.at < bytes.length) bytes[step.at] = step.byte;
      const half = bytes.length >> 1;
      server.session.receive(Buffer.from(bytes.subarray(0, half)));
      server.session.receive(Buffer.from(bytes.subarray(half)));
    }
    // Parses the session's output, which must be whole frames after any input.
    server.written();
  }
}

test("no frames make a session throw, and each request ends once", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const server = new ScriptedServer();
      runActions(server, actions);
      server.session.leave(new Error("Bye."));
      const requestCount = actions.filter(({ kind }) => kind === "ask").length;
      const endedIds = server.ends.map(({ streamId: id }) => id);
      assert.equal(new Set(endedIds).size, endedIds.length);
      assert.ok(endedIds.length <= requestCount);
      assert.equal(server.session.inFlight, 0);
      assert.ok(server.broken.length <= 1);
    }),
    { numRuns: 10_000 },
  );
});

test("no bytes make a session throw", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 });
  fc.assert(
    fc.property(chunks, (received) => {
      const server = new ScriptedServer();
      server.request();
      for (const chunk of received) server.session.receive(Buffer.from(chunk));
      server.session.leave(new Error("Bye."));
      assert.equal(server.ends.length, 1);
    }),
    { numRuns: 5_000 },
  );
});
