import type { ByteSink } from "./byte-sink.ts";
import { DynamicTable, sizeOf } from "./dynamic-table.ts";
import { STATIC_FIELDS } from "./static-table.ts";

/** The static table by name: the index of the name, and of each of its values. */
const STATIC = groupStatic();
/** The largest table that we use, even if the server allows a larger one. */
const TABLE_MAX_BYTES = 4_096;
/** Representations of a field (RFC 7541 section 6): the pattern of the first byte, and its number of index bits. */
const INDEXED = { pattern: 0x80, prefixBits: 7 };
const INDEXED_LITERAL = { pattern: 0x40, prefixBits: 6 };
const PLAIN_LITERAL = { pattern: 0x00, prefixBits: 4 };
const NEVER_INDEXED_LITERAL = { pattern: 0x10, prefixBits: 4 };
const TABLE_SIZE = { pattern: 0x20, prefixBits: 5 };
type FieldRepresentation = typeof INDEXED;

/**
 * Encodes the blocks of one connection in the order of sending. Strings are not Huffman coded, because that would cost
 * more time than the saved bytes are worth.
 */
export class Encoder {
  /** The numbers of entries, by name and value. */
  readonly #numbers = new Map<string, Map<string, number>>();
  readonly #table = new DynamicTable(TABLE_MAX_BYTES, ({ name, value }, number) => {
    const values = this.#numbers.get(name);
    if (values?.get(value) !== number) return;
    values.delete(value);
    if (values.size === 0) this.#numbers.delete(name);
  });
  /** Size updates that the next block starts with: the smallest size since the last block, and the size now. */
  #pendingSizes: { smallest: number; last: number } | null = null;

  /** Limits the table to the size that the server allows (SETTINGS_HEADER_TABLE_SIZE). */
  limitTable(tableBytes: number): void {
    const last = Math.min(tableBytes, TABLE_MAX_BYTES);
    if (last === this.#table.maxBytes) return;
    const smallest = Math.min(last, this.#pendingSizes?.smallest ?? last);
    this.#table.resize(last);
    this.#pendingSizes = { smallest, last };
  }

  /** Begins a block (RFC 7541 section 4.2). */
  begin(sink: ByteSink): void {
    if (this.#pendingSizes === null) return;
    const { smallest, last } = this.#pendingSizes;
    this.#pendingSizes = null;
    writeInteger(sink, TABLE_SIZE, smallest);
    if (last !== smallest) writeInteger(sink, TABLE_SIZE, last);
  }

  /** Writes a field to the block, and adds it to the table if it fits. */
  field(sink: ByteSink, name: string, value: string): void {
    const index = STATIC.get(name)?.values.get(value) ?? this.#indexOf(name, value);
    if (index !== null) {
      writeInteger(sink, INDEXED, index);
      return;
    }
    const isAdded = sizeOf(name, value) <= this.#table.maxBytes;
    this.#writeLiteral(sink, isAdded ? INDEXED_LITERAL : PLAIN_LITERAL, { name, value });
    if (isAdded) this.#add(name, value);
  }

  /** Writes a field that no table may hold, neither ours nor an intermediary's (RFC 7541 section 7.1.3). */
  neverIndexedField(sink: ByteSink, name: string, value: string): void {
    this.#writeLiteral(sink, NEVER_INDEXED_LITERAL, { name, value });
  }

  #writeLiteral(
    sink: ByteSink,
    form: FieldRepresentation,
    { name, value }: { readonly name: string; readonly value: string },
  ): void {
    const index = this.#nameIndexOf(name);
    writeInteger(sink, form, index);
    if (index === 0) writeString(sink, name);
    writeString(sink, value);
  }

  #add(name: string, value: string): void {
    const values = this.#numbers.get(name) ?? new Map<string, number>();
    values.set(value, this.#table.added);
    this.#numbers.set(name, values);
    this.#table.add({ name, value });
  }

  #indexOf(name: string, value: string): number | null {
    const number = this.#numbers.get(name)?.get(value);
    return number === undefined ? null : this.#table.indexOf(number);
  }

  /** Returns the index of a name; 0 if no table has it. */
  #nameIndexOf(name: string): number {
    const entry = STATIC.get(name);
    if (entry !== undefined) return entry.index;
    for (const number of this.#numbers.get(name)?.values() ?? []) {
      return this.#table.indexOf(number);
    }
    return 0;
  }
}

function groupStatic() {
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
function writeInteger(
  sink: ByteSink,
  { pattern, prefixBits }: FieldRepresentation,
  value: number,
): void {
  const { bytes } = sink;
  const mask = (1 << prefixBits) - 1;
  if (value < mask) {
    bytes[sink.at++] = pattern | value;
    return;
  }
  bytes[sink.at++] = pattern | mask;
  let rest = value - mask;
  while (rest >= 0x80) {
    bytes[sink.at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[sink.at++] = rest;
}

const STRING = { pattern: 0, prefixBits: 7 };
/** For strings up to this length, a loop is faster than a native call. */
const SHORT_LENGTH_MAX = 24;

/** Writes a string with one character per byte (RFC 7541 section 5.2). */
function writeString(sink: ByteSink, text: string): void {
  writeInteger(sink, STRING, text.length);
  if (text.length > SHORT_LENGTH_MAX) {
    sink.at += sink.bytes.write(text, sink.at, "latin1");
    return;
  }
  const { bytes } = sink;
  for (let index = 0; index < text.length; index += 1) {
    bytes[sink.at++] = text.charCodeAt(index);
  }
}
