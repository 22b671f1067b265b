import { STATIC_FIELDS, type Field } from "./static-table.ts";

/** The overhead of each entry, added to its name and value (RFC 7541 section 4.1). */
const ENTRY_OVERHEAD_BYTES = 32;

/** Returns the size of a field in a table, in bytes. Strings have one character per byte. */
export function sizeOf(name: string, value: string): number {
  return name.length + value.length + ENTRY_OVERHEAD_BYTES;
}

/** The fields that both sides have indexed, newest first. New fields evict the oldest ones (RFC 7541 section 4). */
export class DynamicTable {
  /** Entries by their number modulo the length, which is a power of two. */
  #ring: (Field | undefined)[] = Array.from({ length: 16 });
  #added = 0;
  #count = 0;
  #sizeBytes = 0;
  #maxBytes: number;
  readonly #onEvict: (field: Field, number: number) => void;

  /** `onEvict` is called for every evicted entry, with its number. */
  constructor(maxBytes: number, onEvict: (field: Field, number: number) => void = () => {}) {
    this.#maxBytes = maxBytes;
    this.#onEvict = onEvict;
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** The number of entries ever added. The next entry gets this number. */
  get added(): number {
    return this.#added;
  }

  /** Returns the field with this index in the static and dynamic tables, or null (RFC 7541 section 2.3.3). */
  at(index: number): Field | null {
    if (index <= STATIC_FIELDS.length) return STATIC_FIELDS[index - 1] ?? null;
    const age = index - STATIC_FIELDS.length;
    if (age > this.#count) return null;
    return this.#ring[(this.#added - age) & (this.#ring.length - 1)] ?? null;
  }

  /** Returns the index of the entry with this number. */
  indexOf(number: number): number {
    return STATIC_FIELDS.length + this.#added - number;
  }

  /** Adds a field. A field larger than the table empties it, which is not an error (RFC 7541 section 4.4). */
  add(field: Field): void {
    const size = sizeOf(field.name, field.value);
    this.#evict(this.#maxBytes - size);
    if (size > this.#maxBytes) return;
    if (this.#count === this.#ring.length) this.#grow();
    this.#ring[this.#added & (this.#ring.length - 1)] = field;
    this.#added += 1;
    this.#count += 1;
    this.#sizeBytes += size;
  }

  /** Changes the maximum size. */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#evict(maxBytes);
  }

  #evict(limitBytes: number): void {
    while (this.#sizeBytes > limitBytes && this.#count > 0) {
      const number = this.#added - this.#count;
      const slot = number & (this.#ring.length - 1);
      const field = this.#ring[slot];
      this.#ring[slot] = undefined;
      this.#count -= 1;
      if (field === undefined) continue;
      this.#sizeBytes -= sizeOf(field.name, field.value);
      this.#onEvict(field, number);
    }
  }

  #grow(): void {
    const larger: (Field | undefined)[] = Array.from({ length: this.#ring.length * 2 });
    for (let number = this.#added - this.#count; number < this.#added; number += 1) {
      larger[number & (larger.length - 1)] = this.#ring[number & (this.#ring.length - 1)];
    }
    this.#ring = larger;
  }
}
