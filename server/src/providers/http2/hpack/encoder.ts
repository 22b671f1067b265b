import type { ByteSink } from "./byte-sink.ts";
import { DynamicTable, sizeOf } from "./dynamic-table.ts";
import { STATIC_FIELDS } from "./static-table.ts";

/** By name: the index of the name alone, and of each value that it has in the static table. */
const STATIC = groupStatic();
/** However large a table the other side allows. */
const TABLE_MAX_BYTES = 4_096;
/** How a field stands in a block (RFC 7541 section 6): in its first byte, with so many bits of an index behind. */
const INDEXED = { pattern: 0x80, prefixBits: 7 };
const ADDED = { pattern: 0x40, prefixBits: 6 };
const NOT_ADDED = { pattern: 0x00, prefixBits: 4 };
const NEVER_ADDED = { pattern: 0x10, prefixBits: 4 };
const TABLE_SIZE = { pattern: 0x20, prefixBits: 5 };
type Form = typeof INDEXED;

/**
 * Writes the blocks of one connection in the order in which they are sent. Strings go as they are: Huffman code would
 * cost more time than it saves bytes.
 */
export class Encoder {
  /** By name and value: the number of the entry. */
  readonly #numbers = new Map<string, Map<string, number>>();
  readonly #table = new DynamicTable(TABLE_MAX_BYTES, ({ name, value }, number) => {
    const values = this.#numbers.get(name);
    if (values?.get(value) !== number) return;
    values.delete(value);
    if (values.size === 0) this.#numbers.delete(name);
  });
  /** What the next block must say first: the smallest size that the table had since the last one, and its size now. */
  #resized: { smallest: number; last: number } | null = null;

  /** Keeps the table within what the other side allows (SETTINGS_HEADER_TABLE_SIZE). */
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

  /** Adds a field to the block that no table may ever hold, here or behind (RFC 7541 section 7.1.3). */
  secret(sink: ByteSink, name: string, value: string): void {
    this.#literal(sink, NEVER_ADDED, { name, value });
  }

  #literal(
    sink: ByteSink,
    form: Form,
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
    // An empty value stands for a name alone, and may be said by it.
    group.values.set(value, place + 1);
    groups.set(name, group);
  }
  return groups;
}

/** RFC 7541 section 5.1. */
function writeInteger(sink: ByteSink, { pattern, prefixBits }: Form, value: number): void {
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
/** Up to here, a loop is faster than a call out of JavaScript. */
const SHORT_MAX = 24;

/** RFC 7541 section 5.2; a character for each byte. */
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
