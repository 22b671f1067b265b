import { CompressionError } from "./compression-error.ts";
import { decodeHuffman } from "./huffman.ts";

/** The maximum length, index or table size. Only an attacker sends a larger one. */
const INTEGER_MAX = 1 << 24;
/** Each byte after the prefix of an integer adds seven bits, and says whether another one follows. */
const BITS_PER_BYTE = 7;
const VALUE_MASK = 0x7f;
const MORE_BYTES_FLAG = 0x80;
const FOLLOWING_BYTES_MAX = 5;
/** The first bit of a string. The other bits begin its length. */
const HUFFMAN_FLAG = 0x80;
const STRING_PREFIX_BITS = 7;

/**
 * Reads the integers and strings of a block in order (RFC 7541 section 5). Throws `CompressionError` if one is
 * malformed.
 */
export class BlockReader {
  readonly #block: Buffer;
  #offset = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  /** True once the whole block has been read. */
  get isAtEnd(): boolean {
    return this.#offset >= this.#block.length;
  }

  /** Returns the next byte without consuming it. */
  peek(): number {
    const byte = this.#block[this.#offset];
    if (byte === undefined) throw new CompressionError("A block ends too early.");
    return byte;
  }

  /** Reads an integer that starts in the last `prefixBits` bits of a byte. Ignores the bits before them. */
  readInteger(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    let value = this.#readByte() & mask;
    if (value < mask) return value;
    let shift = 0;
    let byte: number;
    do {
      byte = this.#readByte();
      value += (byte & VALUE_MASK) * 2 ** shift;
      shift += BITS_PER_BYTE;
      // Zero bytes add nothing to the value, so their number is limited as well.
      if (value > INTEGER_MAX || shift > FOLLOWING_BYTES_MAX * BITS_PER_BYTE)
        throw new CompressionError("An integer is too large.");
    } while ((byte & MORE_BYTES_FLAG) !== 0);
    return value;
  }

  /** Reads a string with one character per byte. */
  readString(): string {
    const isHuffman = (this.peek() & HUFFMAN_FLAG) !== 0;
    const length = this.readInteger(STRING_PREFIX_BITS);
    const begin = this.#offset;
    const end = begin + length;
    if (end > this.#block.length) throw new CompressionError("A string ends after its block.");
    this.#offset = end;
    return isHuffman
      ? decodeHuffman(this.#block, begin, end)
      : this.#block.toString("latin1", begin, end);
  }

  #readByte(): number {
    const byte = this.peek();
    this.#offset += 1;
    return byte;
  }
}
