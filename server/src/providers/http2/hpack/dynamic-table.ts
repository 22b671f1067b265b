import { STATIC_FIELDS, type HeaderField } from "./static-table.ts";

/** The overhead of each entry, added to its name and value (RFC 7541 section 4.1). */
const ENTRY_OVERHEAD_BYTES = 32;
/** The length of a new ring, a power of two. */
const RING_LENGTH_MIN = 16;

/** Returns the size of a field in a table, in bytes. Strings have one character per byte. */
export function getFieldSize(name: string, value: string): number {
  return name.length + value.length + ENTRY_OVERHEAD_BYTES;
}

/** The fields that both sides have indexed, newest first. New fields evict the oldest ones (RFC 7541 section 4). */
export class DynamicTable {
  /** Entries by their number modulo the length, which is a power of two. */
  #ring: (HeaderField | undefined)[] = Array.from({ length: RING_LENGTH_MIN });
  #addedCount = 0;
  #entryCount = 0;
  #sizeBytes = 0;
  #maxBytes: number;
  readonly #onEvict: (field: HeaderField, entryNumber: number) => void;

  /** `onEvict` is called for every evicted entry, with its number. */
  constructor(
    maxBytes: number,
    onEvict: (field: HeaderField, entryNumber: number) => void = () => {},
  ) {
    this.#maxBytes = maxBytes;
    this.#onEvict = onEvict;
  }

  /** The maximum size of the table. */
  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** The number of entries ever added. The next entry gets this number. */
  get addedCount(): number {
    return this.#addedCount;
  }

  /** Returns the field with this index in the static and dynamic tables, or null (RFC 7541 section 2.3.3). */
  getField(index: number): HeaderField | null {
    if (index <= STATIC_FIELDS.length) return STATIC_FIELDS[index - 1] ?? null;
    const age = index - STATIC_FIELDS.length;
    if (age > this.#entryCount) return null;
    return this.#ring[(this.#addedCount - age) & (this.#ring.length - 1)] ?? null;
  }

  /** Returns the index of the entry with this number. */
  getIndex(entryNumber: number): number {
    return STATIC_FIELDS.length + this.#addedCount - entryNumber;
  }

  /** Adds a field. A field larger than the table empties it, which is not an error (RFC 7541 section 4.4). */
  add(field: HeaderField): void {
    const size = getFieldSize(field.name, field.value);
    this.#shrinkTo(this.#maxBytes - size);
    if (size > this.#maxBytes) return;
    if (this.#entryCount === this.#ring.length) this.#grow();
    this.#ring[this.#addedCount & (this.#ring.length - 1)] = field;
    this.#addedCount += 1;
    this.#entryCount += 1;
    this.#sizeBytes += size;
  }

  /** Changes the maximum size. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#shrinkTo(maxBytes);
  }

  #shrinkTo(limitBytes: number): void {
    while (this.#sizeBytes > limitBytes && this.#entryCount > 0) {
      const entryNumber = this.#addedCount - this.#entryCount;
      const slot = entryNumber & (this.#ring.length - 1);
      const field = this.#ring[slot];
      this.#ring[slot] = undefined;
      this.#entryCount -= 1;
      if (field === undefined) continue;
      this.#sizeBytes -= getFieldSize(field.name, field.value);
      this.#onEvict(field, entryNumber);
    }
  }

  #grow(): void {
    const larger: (HeaderField | undefined)[] = Array.from({ length: this.#ring.length * 2 });
    for (
      let entryNumber = this.#addedCount - this.#entryCount;
      entryNumber < this.#addedCount;
      entryNumber += 1
    ) {
      larger[entryNumber & (larger.length - 1)] = this.#ring[entryNumber & (this.#ring.length - 1)];
    }
    this.#ring = larger;
  }
}
