import assert from "node:assert/strict";
import { test } from "node:test";
import {
  encodeBytesField,
  decodeFields,
  decodeVarint,
  encodeVarint,
  encodeFixed64Field,
  readInteger,
  readStrings,
  encodeVarintField,
} from "./protobuf.ts";

test("fields are encoded like the examples of the protobuf guide", () => {
  assert.deepEqual(encodeVarintField(1, 150), Buffer.from("089601", "hex"));
  assert.deepEqual(encodeBytesField(2, "testing"), Buffer.from("120774657374696e67", "hex"));
  assert.deepEqual(encodeVarint(0), Buffer.of(0));
});

test("encoded fields are decoded again, repeated fields in order", () => {
  const largest = 2n ** 64n - 1n;
  const fields = decodeFields(
    Buffer.concat([
      encodeVarintField(3, largest),
      encodeFixed64Field(7, largest),
      encodeBytesField(10, "a"),
      encodeBytesField(10, "b".repeat(300)),
    ]),
  );
  assert.equal(readInteger(fields, 3), largest);
  assert.equal(readInteger(fields, 7), largest);
  assert.deepEqual(readStrings(fields, 10), ["a", "b".repeat(300)]);
  assert.equal(readInteger(fields, 99), null);
});

test("an incomplete varint is null, and a truncated message is an error", () => {
  assert.equal(decodeVarint(Buffer.of(0x96), 0), null);
  assert.deepEqual(decodeVarint(Buffer.of(0xff, 0x96, 0x01), 1), { value: 150n, end: 3 });
  assert.throws(() => decodeFields(encodeBytesField(2, "testing").subarray(0, 5)), /truncated/u);
});
