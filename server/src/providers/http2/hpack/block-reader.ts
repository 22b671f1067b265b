import { CompressionError } from "./compression-error.ts";
import { decodeHuffman } from "./huffman.ts";

/** The maximum length, index or table size. Only an attacker sends a larger one. */
const INTEGER_MAX = 1 << 24;

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
      value += (byte & 0x7f) * 2 ** shift;
      shift += 7;
      // Zero bytes add nothing to the value, so their number is limited as well.
      if (value > INTEGER_MAX || shift > 35) throw new CompressionError("An integer is too large.");
    } while ((byte & 0x80) !== 0);
    return value;
  }

  /** Reads a string with one character per byte. */
  readString(): string {
    const isHuffman = (this.peek() & 0x80) !== 0;
    const length = this.readInteger(7);
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
