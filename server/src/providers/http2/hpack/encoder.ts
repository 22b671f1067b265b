import type { ByteSink } from "./byte-sink.ts";
import { DynamicTable, getFieldSize } from "./dynamic-table.ts";
import { STATIC_FIELDS } from "./static-table.ts";

/** The static table by name: the index of the name, and of each of its values. */
const STATIC_INDEXES = indexStaticFields();
/** The largest table that we use, even if the server allows a larger one. */
const TABLE_MAX_BYTES = 4_096;
/** Representations (RFC 7541 section 6): the pattern of the first byte, and its number of bits for an integer. */
const INDEXED = { pattern: 0x80, prefixBits: 7 };
const INDEXED_LITERAL = { pattern: 0x40, prefixBits: 6 };
const PLAIN_LITERAL = { pattern: 0x00, prefixBits: 4 };
const NEVER_INDEXED_LITERAL = { pattern: 0x10, prefixBits: 4 };
const TABLE_SIZE_UPDATE = { pattern: 0x20, prefixBits: 5 };
type IntegerPrefix = typeof INDEXED;

/**
 * Encodes the blocks of one connection in the order of sending. Strings are not Huffman coded, because that would cost
 * more time than the saved bytes are worth.
 */
export class Encoder {
  /** The numbers of entries, by name and value. */
  readonly #entryNumbers = new Map<string, Map<string, number>>();
  readonly #table = new DynamicTable(TABLE_MAX_BYTES, ({ name, value }, number) => {
    const values = this.#entryNumbers.get(name);
    if (values?.get(value) !== number) return;
    values.delete(value);
    if (values.size === 0) this.#entryNumbers.delete(name);
  });
  /** Size updates that the next block starts with: the smallest size since the last block, and the current size. */
  #pendingSizes: { smallest: number; current: number } | null = null;

  /** Limits the table to the size that the server allows (SETTINGS_HEADER_TABLE_SIZE). */
  limitTableSize(tableBytes: number): void {
    const newSize = Math.min(tableBytes, TABLE_MAX_BYTES);
    if (newSize === this.#table.maxBytes) return;
    const smallest = Math.min(newSize, this.#pendingSizes?.smallest ?? newSize);
    this.#table.resize(newSize);
    this.#pendingSizes = { smallest, current: newSize };
  }

  /** Begins a block with the pending size updates (RFC 7541 section 4.2). */
  beginBlock(sink: ByteSink): void {
    if (this.#pendingSizes === null) return;
    const { smallest, current } = this.#pendingSizes;
    this.#pendingSizes = null;
    writeInteger(sink, TABLE_SIZE_UPDATE, smallest);
    if (current !== smallest) writeInteger(sink, TABLE_SIZE_UPDATE, current);
  }

  /** Writes a field to the block. A field that neither table has is added to the dynamic table if it fits. */
  writeField(sink: ByteSink, name: string, value: string): void {
    const index = STATIC_INDEXES.get(name)?.values.get(value) ?? this.#findIndex(name, value);
    if (index !== null) {
      writeInteger(sink, INDEXED, index);
      return;
    }
    const fitsTable = getFieldSize(name, value) <= this.#table.maxBytes;
    this.#writeLiteral(sink, fitsTable ? INDEXED_LITERAL : PLAIN_LITERAL, { name, value });
    if (fitsTable) this.#add(name, value);
  }

  /** Writes a field that no table may hold, neither ours nor an intermediary's (RFC 7541 section 7.1.3). */
  writeNeverIndexedField(sink: ByteSink, name: string, value: string): void {
    this.#writeLiteral(sink, NEVER_INDEXED_LITERAL, { name, value });
  }

  #writeLiteral(
    sink: ByteSink,
    representation: IntegerPrefix,
    { name, value }: { readonly name: string; readonly value: string },
  ): void {
    const index = this.#findNameIndex(name);
    writeInteger(sink, representation, index);
    if (index === 0) writeString(sink, name);
    writeString(sink, value);
  }

  #add(name: string, value: string): void {
    const values = this.#entryNumbers.get(name) ?? new Map<string, number>();
    values.set(value, this.#table.addedCount);
    this.#entryNumbers.set(name, values);
    this.#table.add({ name, value });
  }

  #findIndex(name: string, value: string): number | null {
    const number = this.#entryNumbers.get(name)?.get(value);
    return number === undefined ? null : this.#table.getIndex(number);
  }

  /** Returns the index of a name; 0 if no table has it. */
  #findNameIndex(name: string): number {
    const entry = STATIC_INDEXES.get(name);
    if (entry !== undefined) return entry.index;
    for (const number of this.#entryNumbers.get(name)?.values() ?? []) {
      return this.#table.getIndex(number);
    }
    return 0;
  }
}

function indexStaticFields() {
  const groups = new Map<
    string,
    { readonly index: number; readonly values: Map<string, number> }
  >();
  for (const [position, { name, value }] of STATIC_FIELDS.entries()) {
    const group = groups.get(name) ?? { index: position + 1, values: new Map<string, number>() };
    // An entry with an empty value has the index of its name.
    group.values.set(value, position + 1);
    groups.set(name, group);
  }
  return groups;
}

/** Writes an integer (RFC 7541 section 5.1). */
function writeInteger(sink: ByteSink, { pattern, prefixBits }: IntegerPrefix, value: number): void {
  const { bytes } = sink;
  const mask = (1 << prefixBits) - 1;
  if (value < mask) {
    bytes[sink.offset++] = pattern | value;
    return;
  }
  bytes[sink.offset++] = pattern | mask;
  let remaining = value - mask;
  while (remaining >= 0x80) {
    bytes[sink.offset++] = (remaining & 0x7f) | 0x80;
    remaining >>>= 7;
  }
  bytes[sink.offset++] = remaining;
}

const STRING = { pattern: 0, prefixBits: 7 };
/** For strings up to this length, a loop is faster than a native call. */
const SHORT_STRING_LENGTH_MAX = 24;

/** Writes a string with one character per byte (RFC 7541 section 5.2). */
function writeString(sink: ByteSink, text: string): void {
  writeInteger(sink, STRING, text.length);
  if (text.length > SHORT_STRING_LENGTH_MAX) {
    sink.offset += sink.bytes.write(text, sink.offset, "latin1");
    return;
  }
  const { bytes } = sink;
  for (let index = 0; index < text.length; index += 1) {
    bytes[sink.offset++] = text.charCodeAt(index);
  }
}
