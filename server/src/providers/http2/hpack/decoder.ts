import { BlockReader } from "./block-reader.ts";
import { CompressionError } from "./compression-error.ts";
import { DynamicTable, sizeOf } from "./dynamic-table.ts";
import type { Field } from "./static-table.ts";

/** The fields of one block. */
export interface FieldList {
  readonly fields: readonly Field[];
  /** There were more than may be; these are the first of them. */
  readonly isTooLarge: boolean;
}

export interface DecoderLimits {
  /** What we told the other side that its table may hold (SETTINGS_HEADER_TABLE_SIZE). */
  readonly tableMaxBytes: number;
  /** What the fields of one block may count, as entries of a table do (SETTINGS_MAX_HEADER_LIST_SIZE). */
  readonly listMaxBytes: number;
}

/** Reads the blocks of one connection in the order in which they came (RFC 7541 section 3). */
export class Decoder {
  readonly #limits: DecoderLimits;
  readonly #table: DynamicTable;

  constructor(limits: DecoderLimits) {
    this.#limits = limits;
    this.#table = new DynamicTable(limits.tableMaxBytes);
  }

  /** Returns the fields of a block; throws `CompressionError` where it is wrong, and then the connection is of no more use. */
  decode(block: Buffer): FieldList {
    const reader = new BlockReader(block);
    this.#readSizes(reader);
    const fields: Field[] = [];
    let left = this.#limits.listMaxBytes;
    while (!reader.isAtEnd) {
      const field = this.#readField(reader);
      left -= sizeOf(field.name, field.value);
      // The rest is read all the same: it belongs to the table.
      if (left >= 0) fields.push(field);
    }
    return { fields, isTooLarge: left < 0 };
  }

  /** Changes of the table's size stand at the beginning alone (RFC 7541 section 4.2). */
  #readSizes(reader: BlockReader): void {
    while (!reader.isAtEnd && (reader.peek() & 0xe0) === 0x20) {
      const size = reader.integer(5);
      if (size > this.#limits.tableMaxBytes) {
        throw new CompressionError("The table is made larger than allowed.");
      }
      this.#table.resize(size);
    }
  }

  /** RFC 7541 section 6. */
  #readField(reader: BlockReader): Field {
    const first = reader.peek();
    if ((first & 0x80) !== 0) return this.#known(reader.integer(7));
    if ((first & 0x40) !== 0) {
      const field = this.#literal(reader, 6);
      this.#table.add(field);
      return field;
    }
    if ((first & 0x20) !== 0) {
      throw new CompressionError("The size of the table changes within a block.");
    }
    // Whether it must never be indexed concerns who passes it on.
    return this.#literal(reader, 4);
  }

  #literal(reader: BlockReader, prefixBits: number): Field {
    const index = reader.integer(prefixBits);
    const name = index === 0 ? reader.string() : this.#known(index).name;
    return { name, value: reader.string() };
  }

  #known(index: number): Field {
    const field = this.#table.at(index);
    if (field === null) throw new CompressionError(`There is no field with index ${index}.`);
    return field;
  }
}
