import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bytesField,
  decodeFields,
  decodeVarint,
  encodeVarint,
  fixed64Field,
  integer,
  strings,
  varintField,
} from "./protobuf.ts";

test("fields are encoded like the examples of the protobuf guide", () => {
  assert.deepEqual(varintField(1, 150), Buffer.from("089601", "hex"));
  assert.deepEqual(bytesField(2, "testing"), Buffer.from("120774657374696e67", "hex"));
  assert.deepEqual(encodeVarint(0), Buffer.of(0));
});

test("encoded fields are decoded again, repeated fields in order", () => {
  const largest = 2n ** 64n - 1n;
  const fields = decodeFields(
    Buffer.concat([
      varintField(3, largest),
      fixed64Field(7, largest),
      bytesField(10, "a"),
      bytesField(10, "b".repeat(300)),
    ]),
  );
  assert.equal(integer(fields, 3), largest);
  assert.equal(integer(fields, 7), largest);
  assert.deepEqual(strings(fields, 10), ["a", "b".repeat(300)]);
  assert.equal(integer(fields, 99), null);
});

test("an incomplete varint is null, and a truncated message is an error", () => {
  assert.equal(decodeVarint(Buffer.of(0x96), 0), null);
  assert.deepEqual(decodeVarint(Buffer.of(0xff, 0x96, 0x01), 1), { value: 150n, end: 3 });
  assert.throws(() => decodeFields(bytesField(2, "testing").subarray(0, 5)), /truncated/u);
});
