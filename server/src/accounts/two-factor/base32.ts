const BASE32_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BITS_PER_CHARACTER = 5;

/** Returns the bytes in base32 (RFC 4648 section 6) without padding. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bitCount += 8;
    for (; bitCount >= BITS_PER_CHARACTER; bitCount -= BITS_PER_CHARACTER)
      text += BASE32_ALPHABET.charAt((buffer >> (bitCount - BITS_PER_CHARACTER)) & 31);
    buffer &= (1 << bitCount) - 1;
  }
  return bitCount === 0
    ? text
    : text + BASE32_ALPHABET.charAt((buffer << (BITS_PER_CHARACTER - bitCount)) & 31);
}

/** Decodes a string of `encodeBase32`. Throws for a character outside the alphabet. */
export function decodeBase32(text: string): Uint8Array {
  const bytes: number[] = [];
  let buffer = 0;
  let bitCount = 0;
  for (const character of text) {
    const value = BASE32_ALPHABET.indexOf(character);
    if (value < 0) throw new Error("The string is not base32.");
    buffer = (buffer << BITS_PER_CHARACTER) | value;
    bitCount += BITS_PER_CHARACTER;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes.push((buffer >> bitCount) & 0xff);
    buffer &= (1 << bitCount) - 1;
  }
  return Uint8Array.from(bytes);
}
