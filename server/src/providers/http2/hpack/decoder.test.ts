import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CompressionError } from "./compression-error.ts";
import { Decoder } from "./decoder.ts";

const LIST_MAX_BYTES = 16_384;

function createDecoder(tableMaxBytes = 4_096, listMaxBytes = LIST_MAX_BYTES): Decoder {
  return new Decoder({ tableMaxBytes, listMaxBytes });
}

/** Decodes hexadecimal blocks and returns one string for each. */
function decodeAll(blocks: readonly string[], decoder = createDecoder()): readonly string[] {
  return blocks.map((block) => {
    const { fields } = decoder.decode(Buffer.from(block.replaceAll(" ", ""), "hex"));
    return fields.map(({ name, value }) => `${name}=${value}`).join(" | ");
  });
}

test("each representation of a field is decoded (RFC 7541 appendix C.2)", () => {
  assert.deepEqual(
    decodeAll([
      "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
      "040c 2f73 616d 706c 652f 7061 7468",
      "1008 7061 7373 776f 7264 0673 6563 7265 74",
      "82",
    ]),
    ["custom-key=custom-header", ":path=/sample/path", "password=secret", ":method=GET"],
  );
});

const REQUESTS = [
  ":method=GET | :scheme=http | :path=/ | :authority=www.example.com",
  ":method=GET | :scheme=http | :path=/ | :authority=www.example.com | cache-control=no-cache",
  ":method=GET | :scheme=https | :path=/index.html | :authority=www.example.com | custom-key=custom-value",
];

test("consecutive requests are decoded (RFC 7541 appendix C.3)", () => {
  assert.deepEqual(
    decodeAll([
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
      "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ]),
    REQUESTS,
  );
});

test("consecutive requests in Huffman code are decoded (RFC 7541 appendix C.4)", () => {
  assert.deepEqual(
    decodeAll([
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
      "8286 84be 5886 a8eb 1064 9cbf",
      "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ]),
    REQUESTS,
  );
});

const DATE_PREFIX = "Mon, 21 Oct 2013 20:13:2";
const RESPONSES = [
  `:status=302 | cache-control=private | date=${DATE_PREFIX}1 GMT | location=https://www.example.com`,
  `:status=307 | cache-control=private | date=${DATE_PREFIX}1 GMT | location=https://www.example.com`,
  `:status=200 | cache-control=private | date=${DATE_PREFIX}2 GMT | location=https://www.example.com | content-encoding=gzip | set-cookie=foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1`,
];

test("responses are decoded while a small table evicts entries (RFC 7541 appendices C.5 and C.6)", () => {
  const plain = [
    `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133
     3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
    "4803 3330 37c1 c0bf",
    `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a
     6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d
     6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31`,
  ];
  const huffman = [
    `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d
     29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
    "4883 640e ffc1 c0bf",
    `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d
     d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106
     3d50 07`,
  ];
  for (const blocks of [plain, huffman]) {
    const compact = blocks.map((block) => block.replaceAll(/\s/gu, ""));
    assert.deepEqual(decodeAll(compact, createDecoder(256)), RESPONSES);
  }
});

test("a malformed block is refused", () => {
  for (const [block, name] of [
    ["80", "index 0 (section 6.1)"],
    ["be", "an index beyond both tables (section 2.3.3)"],
    ["ff ff ff ff ff 0f", "an index above the limit of integers"],
    ["ff 80 80 80 80 80 80 00", "an integer with too many zero bytes"],
    ["3f e2 1f", "a table larger than allowed (section 4.2)"],
    ["82 20", "a size update after a field (section 4.2)"],
    ["00 05 61", "a string longer than its block (section 5.2)"],
    ["40", "a block that ends within a field"],
    ["00 84 ff ff ff ff 01 61", "the end symbol in a string (section 5.2)"],
    ["00 82 1f ff 01 61", "padding longer than 7 bits (section 5.2)"],
    ["00 81 18 01 61", "padding that contains a zero bit (section 5.2)"],
  ] as const) {
    assert.throws(() => decodeAll([block]), CompressionError, name);
  }
});

test("a table that shrinks evicts its entries", () => {
  const decoder = createDecoder();
  const add = "4001 6101 62";
  assert.deepEqual(decodeAll([add, "be"], decoder), ["a=b", "a=b"]);
  assert.throws(() => decodeAll(["20 be"], decoder), CompressionError);
  const emptyDecoder = createDecoder();
  assert.deepEqual(decodeAll([add, `20 ${add}`], emptyDecoder), ["a=b", "a=b"]);
  assert.throws(() => decodeAll(["be"], emptyDecoder), CompressionError);
});

test("an entry larger than the table empties it", () => {
  const decoder = createDecoder(40);
  const large = `40 0a ${"61".repeat(10)} 01 62`;
  assert.deepEqual(decodeAll(["4001 6101 62", "be", large], decoder).at(-1), "aaaaaaaaaa=b");
  assert.throws(() => decodeAll(["be"], decoder), CompressionError);
});

test("a field list that is too large keeps its first fields", () => {
  const decoder = createDecoder(4_096, 100);
  const block = Buffer.from("4001 6101 62 be be be 4001 6301 64".replaceAll(" ", ""), "hex");
  const { fields, isTooLarge } = decoder.decode(block);
  assert.deepEqual([fields.length, isTooLarge], [2, true]);
  assert.deepEqual(decodeAll(["be"], decoder), ["c=d"]);
});

test("any bytes are decoded or refused", () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 4 }), (blocks) => {
      const decoder = createDecoder(256, 1_024);
      try {
        for (const block of blocks) decoder.decode(Buffer.from(block));
      } catch (error) {
        assert.ok(error instanceof CompressionError);
      }
    }),
    { numRuns: 20_000 },
  );
});
