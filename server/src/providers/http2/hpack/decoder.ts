import { BlockReader } from "./block-reader.ts";
import { CompressionError } from "./compression-error.ts";
import { DynamicTable, getFieldSize } from "./dynamic-table.ts";
import type { HeaderField } from "./static-table.ts";

/** The fields of one field block (RFC 9113 section 4.3). */
export interface FieldList {
  readonly fields: readonly HeaderField[];
  /** True if the fields exceeded the size limit. `fields` then contains only the first ones. */
  readonly isTooLarge: boolean;
}

/** The limits of a decoder, which the server knows from our SETTINGS or from their defaults. */
export interface DecoderLimits {
  /** The maximum size of the table (SETTINGS_HEADER_TABLE_SIZE). */
  readonly tableMaxBytes: number;
  /** The limit of the sum of a block's field sizes, counted like table entries (SETTINGS_MAX_HEADER_LIST_SIZE). */
  readonly listMaxBytes: number;
}

/** Decodes the blocks of one connection, in the order of their arrival (RFC 7541 section 3). */
export class Decoder {
  readonly #limits: DecoderLimits;
  readonly #table: DynamicTable;

  constructor(limits: DecoderLimits) {
    this.#limits = limits;
    this.#table = new DynamicTable(limits.tableMaxBytes);
  }

  /**
   * Returns the fields of a block. Throws `CompressionError` on a malformed one, which makes the connection unusable.
   */
  decode(block: Buffer): FieldList {
    const reader = new BlockReader(block);
    this.#readSizeUpdates(reader);
    const fields: HeaderField[] = [];
    let remainingBytes = this.#limits.listMaxBytes;
    while (!reader.isAtEnd) {
      const field = this.#readField(reader);
      remainingBytes -= getFieldSize(field.name, field.value);
      // The remaining fields are decoded too, because they change the table.
      if (remainingBytes >= 0) fields.push(field);
    }
    return { fields, isTooLarge: remainingBytes < 0 };
  }

  /** Reads the size updates, which only the start of a block may have (RFC 7541 section 4.2). */
  #readSizeUpdates(reader: BlockReader): void {
    // 001xxxxx: a size update (section 6.3).
    while (!reader.isAtEnd && (reader.peek() & 0xe0) === 0x20) {
      const size = reader.readInteger(5);
      if (size > this.#limits.tableMaxBytes) {
        throw new CompressionError("The table size exceeds the limit.");
      }
      this.#table.resize(size);
    }
  }

  /** Reads one field (RFC 7541 section 6). */
  #readField(reader: BlockReader): HeaderField {
    const firstByte = reader.peek();
    // 1xxxxxxx: an indexed field (section 6.1).
    if ((firstByte & 0x80) !== 0) return this.#getIndexedField(reader.readInteger(7));
    // 01xxxxxx: a literal field that enters the table (section 6.2.1).
    if ((firstByte & 0x40) !== 0) {
      const field = this.#readLiteral(reader, 6);
      this.#table.add(field);
      return field;
    }
    // 001xxxxx: a size update (section 6.3).
    if ((firstByte & 0x20) !== 0) {
      throw new CompressionError("The size of the table changes within a block.");
    }
    // 000xxxxx: a literal field that does not enter the table (sections 6.2.2 and 6.2.3). "Never indexed" matters only
    // to intermediaries that forward the field.
    return this.#readLiteral(reader, 4);
  }

  #readLiteral(reader: BlockReader, prefixBits: number): HeaderField {
    const index = reader.readInteger(prefixBits);
    const name = index === 0 ? reader.readString() : this.#getIndexedField(index).name;
    return { name, value: reader.readString() };
  }

  #getIndexedField(index: number): HeaderField {
    const field = this.#table.getField(index);
    if (field === null) throw new CompressionError(`There is no field with index ${index}.`);
    return field;
  }
}
