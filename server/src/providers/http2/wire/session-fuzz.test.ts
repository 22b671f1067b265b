import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CODE, FRAME } from "./codes.ts";
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

/** Valid frames, some of them at the wrong moment. */
const streamId = fc.constantFrom(1, 3, 5, 7);
const number = fc.constantFrom(0, 1, 100, 65_535, 2 ** 31 - 1, 2 ** 32 - 1);
const sensible: fc.Arbitrary<Said> = fc.oneof(
  streamId.map((id) => answer(id)),
  streamId.map((id) => head(id, "884001610162")),
  streamId.map((id) => head(id, "0803313033")),
  fc.tuple(streamId, fc.nat(5_000)).map(([id, size]) => data(id, "x".repeat(size))),
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
const senseless: fc.Arbitrary<Said> = fc.record({
  type: fc.nat(11),
  flags: fc.nat(255),
  streamId: fc.nat(9),
  payload: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
});

type Act =
  | { readonly kind: "ask"; readonly size: number }
  | { readonly kind: "cancel"; readonly which: number }
  | {
      readonly kind: "say";
      readonly frames: readonly Said[];
      readonly at: number;
      readonly byte: number;
    };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant("ask" as const), size: fc.constantFrom(0, 10, 70_000) }),
  fc.record({ kind: fc.constant("cancel" as const), which: fc.nat(3) }),
  fc.record({
    kind: fc.constant("say" as const),
    frames: fc.array(fc.oneof({ weight: 5, arbitrary: sensible }, senseless), { maxLength: 6 }),
    // One byte is changed, or none.
    at: fc.integer({ min: -200, max: 100 }),
    byte: fc.nat(255),
  }),
);

function play(server: ScriptedServer, acts: readonly Act[]): void {
  const streams = [];
  for (const one of acts) {
    if (one.kind === "ask" && !server.session.isSpent) {
      streams.push(server.ask({ body: Buffer.alloc(one.size) }));
    } else if (one.kind === "cancel") {
      const stream = streams[one.which];
      if (stream !== undefined) server.session.cancel(stream, new Error("Given up."));
    } else if (one.kind === "say") {
      const bytes = bytesOf(...one.frames);
      if (one.at >= 0 && one.at < bytes.length) bytes[one.at] = one.byte;
      const half = bytes.length >> 1;
      server.session.receive(Buffer.from(bytes.subarray(0, half)));
      server.session.receive(Buffer.from(bytes.subarray(half)));
    }
    // Parses the session's output, which must be whole frames after any input.
    server.written();
  }
}

test("no frames of a server make it throw, and each request ends once", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      const server = new ScriptedServer();
      play(server, acts);
      server.session.leave(new Error("Bye."));
      const asked = acts.filter(({ kind }) => kind === "ask").length;
      const ended = server.ends.map(({ streamId: id }) => id);
      assert.equal(new Set(ended).size, ended.length);
      assert.ok(ended.length <= asked);
      assert.equal(server.session.inFlight, 0);
      assert.ok(server.broken.length <= 1);
    }),
    { numRuns: 10_000 },
  );
});

test("no bytes make it throw", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 });
  fc.assert(
    fc.property(chunks, (all) => {
      const server = new ScriptedServer();
      server.ask();
      for (const chunk of all) server.session.receive(Buffer.from(chunk));
      server.session.leave(new Error("Bye."));
      assert.equal(server.ends.length, 1);
    }),
    { numRuns: 5_000 },
  );
});
