import type { ByteSink } from "./byte-sink.ts";
import { DynamicTable, sizeOf } from "./dynamic-table.ts";
import { STATIC_FIELDS } from "./static-table.ts";

/** By name: the index of the name alone, and of each of its values in the static table. */
const STATIC = groupStatic();
/** The largest table used, however large the other side allows. */
const TABLE_MAX_BYTES = 4_096;
/** Representations of a field (RFC 7541 section 6): the pattern of the first byte, and the number of index bits after it. */
const INDEXED = { pattern: 0x80, prefixBits: 7 };
const ADDED = { pattern: 0x40, prefixBits: 6 };
const NOT_ADDED = { pattern: 0x00, prefixBits: 4 };
const NEVER_ADDED = { pattern: 0x10, prefixBits: 4 };
const TABLE_SIZE = { pattern: 0x20, prefixBits: 5 };
type FieldRepresentation = typeof INDEXED;

/**
 * Encodes the blocks of one connection, in the order in which they are sent. Strings are not Huffman coded: the code would
 * cost more time than its bytes save.
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
  #resized: { smallest: number; last: number } | null = null;

  /** Limits the table to the size that the other side allows (SETTINGS_HEADER_TABLE_SIZE). */
  allow(tableBytes: number): void {
    const last = Math.min(tableBytes, TABLE_MAX_BYTES);
    if (last === this.#table.maxBytes) return;
    const smallest = Math.min(last, this.#resized?.smallest ?? last);
    this.#table.resize(last);
    this.#resized = { smallest, last };
  }

  /** Begins a block (RFC 7541 section 4.2). */
  begin(sink: ByteSink): void {
    if (this.#resized === null) return;
    const { smallest, last } = this.#resized;
    this.#resized = null;
    writeInteger(sink, TABLE_SIZE, smallest);
    if (last !== smallest) writeInteger(sink, TABLE_SIZE, last);
  }

  /** Adds a field to the block, and to the table as well. */
  field(sink: ByteSink, name: string, value: string): void {
    const index = STATIC.get(name)?.values.get(value) ?? this.#indexOf(name, value);
    if (index !== null) {
      writeInteger(sink, INDEXED, index);
      return;
    }
    const isAdded = sizeOf(name, value) <= this.#table.maxBytes;
    this.#literal(sink, isAdded ? ADDED : NOT_ADDED, { name, value });
    if (isAdded) this.#add(name, value);
  }

  /** Adds a field that no table may hold, ours or one behind the server (RFC 7541 section 7.1.3). */
  secret(sink: ByteSink, name: string, value: string): void {
    this.#literal(sink, NEVER_ADDED, { name, value });
  }

  #literal(
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

  /** Returns 0 where no table has the name. */
  #nameIndexOf(name: string): number {
    const known = STATIC.get(name);
    if (known !== undefined) return known.index;
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
  for (const [place, { name, value }] of STATIC_FIELDS.entries()) {
    const group = groups.get(name) ?? { index: place + 1, values: new Map<string, number>() };
    // An entry with an empty value has the index of its name.
    group.values.set(value, place + 1);
    groups.set(name, group);
  }
  return groups;
}

/** RFC 7541 section 5.1. */
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
  let left = value - mask;
  while (left >= 0x80) {
    bytes[sink.at++] = (left & 0x7f) | 0x80;
    left >>>= 7;
  }
  bytes[sink.at++] = left;
}

const STRING = { pattern: 0, prefixBits: 7 };
/** For strings up to this length, a loop is faster than a call out of JavaScript. */
const SHORT_MAX = 24;

/** RFC 7541 section 5.2, with one character per byte. */
function writeString(sink: ByteSink, text: string): void {
  writeInteger(sink, STRING, text.length);
  if (text.length > SHORT_MAX) {
    sink.at += sink.bytes.write(text, sink.at, "latin1");
    return;
  }
  const { bytes } = sink;
  for (let index = 0; index < text.length; index += 1) {
    bytes[sink.at++] = text.charCodeAt(index);
  }
}
