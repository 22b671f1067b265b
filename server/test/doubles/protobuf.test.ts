import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bytesField,
  decodeFields,
  decodeVarint,
  encodeVarint,
  fixed64Field,
  integer,
  texts,
  varintField,
} from "./protobuf.ts";

test("integers are encoded as the protobuf guide shows them", () => {
  assert.deepEqual(varintField(1, 150), Buffer.from("089601", "hex"));
  assert.deepEqual(bytesField(2, "testing"), Buffer.from("120774657374696e67", "hex"));
  assert.deepEqual(encodeVarint(0), Buffer.of(0));
});

test("an encoded message is read back, repeated fields in order", () => {
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
  assert.deepEqual(texts(fields, 10), ["a", "b".repeat(300)]);
  assert.equal(integer(fields, 99), null);
});

test("an integer whose end has not come is told from a whole one", () => {
  assert.equal(decodeVarint(Buffer.of(0x96), 0), null);
  assert.deepEqual(decodeVarint(Buffer.of(0xff, 0x96, 0x01), 1), { value: 150n, end: 3 });
  assert.throws(() => decodeFields(bytesField(2, "testing").subarray(0, 5)), /cut off/u);
});
