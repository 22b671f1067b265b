import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ByteSink } from "./byte-sink.ts";
import { Decoder } from "./decoder.ts";
import { Encoder } from "./encoder.ts";

interface Written {
  readonly name: string;
  readonly value: string;
  readonly isSecret?: boolean;
}

function blockOf(encoder: Encoder, fields: readonly Written[]): Buffer {
  const sink: ByteSink = { bytes: Buffer.alloc(100_000), at: 0 };
  encoder.begin(sink);
  for (const { name, value, isSecret } of fields) {
    if (isSecret === true) encoder.secret(sink, name, value);
    else encoder.field(sink, name, value);
  }
  return sink.bytes.subarray(0, sink.at);
}

function hexOf(encoder: Encoder, ...fields: readonly Written[]): string {
  return blockOf(encoder, fields).toString("hex");
}

test("a field is written in the shortest form that the tables allow", () => {
  const encoder = new Encoder();
  assert.equal(hexOf(encoder, { name: ":method", value: "POST" }), "83");
  assert.equal(hexOf(encoder, { name: ":authority", value: "a.b" }), "4103612e62");
  assert.equal(hexOf(encoder, { name: ":authority", value: "a.b" }), "be");
  assert.equal(hexOf(encoder, { name: "x", value: "1" }), "4001780131");
  assert.equal(hexOf(encoder, { name: "x", value: "2" }), "7e0132");
  assert.equal(hexOf(encoder, { name: "x", value: "1" }, { name: "x", value: "2" }), "bfbe");
});

test("a secret is written out each time, and known to no table", () => {
  const encoder = new Encoder();
  const secret = { name: "authorization", value: "s", isSecret: true };
  assert.equal(hexOf(encoder, secret), "1f080173");
  assert.equal(hexOf(encoder, secret), "1f080173");
  assert.equal(hexOf(encoder, { name: "n", value: "s", isSecret: true }), "10016e0173");
});

test("a smaller table is announced with the next block, the smallest size first", () => {
  const encoder = new Encoder();
  hexOf(encoder, { name: "x", value: "1" });
  encoder.allow(0);
  encoder.allow(100);
  assert.equal(hexOf(encoder, { name: "x", value: "1" }), "203f454001780131");
  assert.equal(hexOf(encoder, { name: "x", value: "1" }), "be");
  encoder.allow(4_096);
  encoder.allow(1_000_000);
  assert.equal(hexOf(encoder, { name: "x", value: "1" }), "3fe11fbe");
});

test("a header that does not fit into the table is written without it", () => {
  const encoder = new Encoder();
  encoder.allow(40);
  const large = { name: "x", value: "1".repeat(60) };
  hexOf(encoder);
  assert.ok(hexOf(encoder, large).startsWith("000178"));
  assert.ok(hexOf(encoder, large).startsWith("000178"));
});

const name = fc.constantFrom(
  ":path",
  ":status",
  "accept",
  "content-length",
  "x",
  "apns-id",
  "n".repeat(300),
);
const value = fc.oneof(
  fc.constantFrom("", "200", "/", "v".repeat(200)),
  fc.string({ unit: "binary-ascii", maxLength: 40 }),
);
const field = fc.record({ name, value, isSecret: fc.boolean() });
const change = fc.option(fc.constantFrom(0, 40, 120, 4_096, 9_000), { nil: null });

test("any headers are read as they were written, through every change of the table's size", () => {
  const block = fc.record({ changes: fc.array(change, { maxLength: 3 }), fields: fc.array(field) });
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
      const encoder = new Encoder();
      const decoder = new Decoder({ tableMaxBytes: 9_000, listMaxBytes: 1_000_000 });
      for (const { changes, fields } of blocks) {
        for (const size of changes) if (size !== null) encoder.allow(size);
        const read = decoder.decode(Buffer.from(blockOf(encoder, fields)));
        assert.deepEqual(
          read.fields,
          fields.map((written) => ({ name: written.name, value: written.value })),
        );
      }
    }),
    { numRuns: 2_000 },
  );
});
