import { BlockReader } from "./block-reader.ts";
import { CompressionError } from "./compression-error.ts";
import { DynamicTable, sizeOf } from "./dynamic-table.ts";
import type { Field } from "./static-table.ts";

/** The fields of one block. */
export interface FieldList {
  readonly fields: readonly Field[];
  /** The block had more fields than the limit allows; these are the first. */
  readonly isTooLarge: boolean;
}

export interface DecoderLimits {
  /** The size that we announced for its table (SETTINGS_HEADER_TABLE_SIZE). */
  readonly tableMaxBytes: number;
  /** The limit of a block's field sizes, counted like table entries (SETTINGS_MAX_HEADER_LIST_SIZE). */
  readonly listMaxBytes: number;
}

/** Decodes the blocks of one connection, which must be given in the order in which they came (RFC 7541 section 3). */
export class Decoder {
  readonly #limits: DecoderLimits;
  readonly #table: DynamicTable;

  constructor(limits: DecoderLimits) {
    this.#limits = limits;
    this.#table = new DynamicTable(limits.tableMaxBytes);
  }

  /** Returns the fields of a block. Throws `CompressionError` on a malformed one, which makes the connection unusable. */
  decode(block: Buffer): FieldList {
    const reader = new BlockReader(block);
    this.#readSizes(reader);
    const fields: Field[] = [];
    let left = this.#limits.listMaxBytes;
    while (!reader.isAtEnd) {
      const field = this.#readField(reader);
      left -= sizeOf(field.name, field.value);
      // The rest is decoded all the same, because it changes the table.
      if (left >= 0) fields.push(field);
    }
    return { fields, isTooLarge: left < 0 };
  }

  /** Reads the size updates, which only the start of a block may have (RFC 7541 section 4.2). */
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
    // "Never indexed" matters only to intermediaries that forward the field.
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
