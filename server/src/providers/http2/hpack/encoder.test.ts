import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ByteSink } from "./byte-sink.ts";
import { Decoder } from "./decoder.ts";
import { Encoder } from "./encoder.ts";

interface TestField {
  readonly name: string;
  readonly value: string;
  readonly isSecret?: boolean;
}

function encodeBlock(encoder: Encoder, fields: readonly TestField[]): Buffer {
  const sink: ByteSink = { bytes: Buffer.alloc(100_000), offset: 0 };
  encoder.beginBlock(sink);
  for (const { name, value, isSecret } of fields) {
    if (isSecret === true) encoder.writeNeverIndexedField(sink, name, value);
    else encoder.writeField(sink, name, value);
  }
  return sink.bytes.subarray(0, sink.offset);
}

function encodeHex(encoder: Encoder, ...fields: readonly TestField[]): string {
  return encodeBlock(encoder, fields).toString("hex");
}

test("a field is encoded in the shortest form that the tables allow", () => {
  const encoder = new Encoder();
  assert.equal(encodeHex(encoder, { name: ":method", value: "POST" }), "83");
  assert.equal(encodeHex(encoder, { name: ":authority", value: "a.b" }), "4103612e62");
  assert.equal(encodeHex(encoder, { name: ":authority", value: "a.b" }), "be");
  assert.equal(encodeHex(encoder, { name: "x", value: "1" }), "4001780131");
  assert.equal(encodeHex(encoder, { name: "x", value: "2" }), "7e0132");
  assert.equal(encodeHex(encoder, { name: "x", value: "1" }, { name: "x", value: "2" }), "bfbe");
});

test("a secret field is never indexed", () => {
  const encoder = new Encoder();
  const secret = { name: "authorization", value: "s", isSecret: true };
  assert.equal(encodeHex(encoder, secret), "1f080173");
  assert.equal(encodeHex(encoder, secret), "1f080173");
  assert.equal(encodeHex(encoder, { name: "n", value: "s", isSecret: true }), "10016e0173");
});

test("the next block announces changes of the table size", () => {
  const encoder = new Encoder();
  encodeHex(encoder, { name: "x", value: "1" });
  encoder.limitTableSize(0);
  encoder.limitTableSize(100);
  assert.equal(encodeHex(encoder, { name: "x", value: "1" }), "203f454001780131");
  assert.equal(encodeHex(encoder, { name: "x", value: "1" }), "be");
  encoder.limitTableSize(4_096);
  encoder.limitTableSize(1_000_000);
  assert.equal(encodeHex(encoder, { name: "x", value: "1" }), "3fe11fbe");
});

test("a field that does not fit into the table is not indexed", () => {
  const encoder = new Encoder();
  encoder.limitTableSize(40);
  const large = { name: "x", value: "1".repeat(60) };
  encodeHex(encoder);
  assert.ok(encodeHex(encoder, large).startsWith("000178"));
  assert.ok(encodeHex(encoder, large).startsWith("000178"));
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

test("any fields are decoded as they were encoded, across table size changes", () => {
  const block = fc.record({ changes: fc.array(change, { maxLength: 3 }), fields: fc.array(field) });
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
      const encoder = new Encoder();
      const decoder = new Decoder({ tableMaxBytes: 9_000, listMaxBytes: 1_000_000 });
      for (const { changes, fields } of blocks) {
        for (const size of changes) if (size !== null) encoder.limitTableSize(size);
        const decoded = decoder.decode(Buffer.from(encodeBlock(encoder, fields)));
        assert.deepEqual(
          decoded.fields,
          fields.map((original) => ({ name: original.name, value: original.value })),
        );
      }
    }),
    { numRuns: 2_000 },
  );
});
