/** A message's fields by number: integers as bigint, everything else as bytes. */
export type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/** Encodes an integer in base 128, lowest bits first. */
export function encodeVarint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let remaining = BigInt(value);
  while (remaining > 0x7fn) {
    bytes.push(Number(remaining & 0x7fn) | 0x80);
    remaining >>= 7n;
  }
  return Buffer.of(...bytes, Number(remaining));
}

/** Decodes an integer at `offset`; null if it is incomplete. */
export function decodeVarint(
  bytes: Buffer,
  offset: number,
): { readonly value: bigint; readonly end: number } | null {
  let value = 0n;
  for (let index = offset; index < bytes.length; index += 1) {
    const byte = bytes.readUInt8(index);
    value |= BigInt(byte & 0x7f) << BigInt(7 * (index - offset));
    if (byte < 0x80) return { value, end: index + 1 };
  }
  return null;
}

/** Encodes a field of type int32, int64 or bool. */
export function encodeVarintField(number: number, value: number | bigint): Buffer {
  return Buffer.concat([encodeVarint(number << 3), encodeVarint(value)]);
}

/** Encodes a field of type fixed64. */
export function encodeFixed64Field(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return Buffer.concat([encodeVarint((number << 3) | 1), bytes]);
}

/** Encodes a field of type string, bytes or message. */
export function encodeBytesField(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([encodeVarint((number << 3) | 2), encodeVarint(bytes.length), bytes]);
}

/** Decodes a message. Throws if it is truncated or uses a group. */
export function decodeFields(message: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let offset = 0;
  while (offset < message.length) {
    const key = requireValue(decodeVarint(message, offset));
    const { value, end } = decodeValue(message, { at: key.end, wireType: Number(key.value & 7n) });
    const number = Number(key.value >> 3n);
    fields.set(number, [...(fields.get(number) ?? []), value]);
    offset = end;
  }
  return fields;
}

/** Returns every value of a repeated string field. */
export function readStrings(fields: Fields, number: number): readonly string[] {
  return (fields.get(number) ?? []).map(String);
}

/** Returns an integer field, or null if it is not set. */
export function readInteger(fields: Fields, number: number): bigint | null {
  const value = fields.get(number)?.[0];
  return typeof value === "bigint" ? value : null;
}

function decodeValue(
  message: Buffer,
  { at: start, wireType }: { readonly at: number; readonly wireType: number },
): { readonly value: bigint | Buffer; readonly end: number } {
  switch (wireType) {
    case 0:
      return requireValue(decodeVarint(message, start));
    case 1:
      return { value: message.readBigUInt64LE(start), end: start + 8 };
    case 2: {
      const { value: length, end } = requireValue(decodeVarint(message, start));
      const valueEnd = end + Number(length);
      if (valueEnd > message.length) throw new Error("The message is truncated.");
      return { value: message.subarray(end, valueEnd), end: valueEnd };
    }
    case 5:
      return { value: BigInt(message.readUInt32LE(start)), end: start + 4 };
    default:
      throw new Error(`Wire type ${wireType} is not supported.`);
  }
}

function requireValue<T>(value: T | null): T {
  if (value === null) throw new Error("The message is truncated.");
  return value;
}
