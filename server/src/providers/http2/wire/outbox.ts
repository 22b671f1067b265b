import type { ByteSink } from "../hpack/byte-sink.ts";

export interface OutboxSettings {
  /** Takes bytes, and says when they have left. */
  readonly write: (bytes: Buffer, onWritten: () => void) => void;
  /** Called when much was waiting to leave, and little is left. */
  readonly onDrained: () => void;
}

/** Some hundred frames, and more than any that we write. */
const PAGE_BYTES = 65_536;
/** So many pages wait for their next use. */
const SPARE_PAGES_MAX = 4;
/** What the far side does not take makes us wait. */
const BACKLOG_MAX_BYTES = 1_048_576;

/** A piece of memory whose parts are written to the socket; it is used again when all of them have left. */
interface Page {
  readonly bytes: Buffer;
  writing: number;
}

/** Gathers what is written in one turn of the event loop, so that it leaves together. */
export class Outbox implements ByteSink {
  readonly #settings: OutboxSettings;
  readonly #spare: Page[] = [];
  #page: Page = { bytes: Buffer.allocUnsafeSlow(PAGE_BYTES), writing: 0 };
  /** From here on, nothing was handed to the socket. */
  #begin = 0;
  #backlogBytes = 0;
  #wasFull = false;
  #isScheduled = false;
  #isOpen = false;
  at = 0;

  constructor(settings: OutboxSettings) {
    this.#settings = settings;
  }

  get bytes(): Buffer {
    return this.#page.bytes;
  }

  /** True while the far side does not take what is there already. */
  get isFull(): boolean {
    const isFull = this.#backlogBytes > BACKLOG_MAX_BYTES;
    this.#wasFull ||= isFull;
    return isFull;
  }

  /** Makes room for that many bytes, a page at most, and sees to it that they leave at the end of this turn. */
  reserve(sizeBytes: number): void {
    if (PAGE_BYTES - this.at < sizeBytes) {
      this.flush();
      this.#turnPage();
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  /** Hands over what was written so far. */
  flush(): void {
    this.#isScheduled = false;
    if (this.at === this.#begin || !this.#isOpen) return;
    const page = this.#page;
    const bytes = page.bytes.subarray(this.#begin, this.at);
    this.#begin = this.at;
    this.#backlogBytes += bytes.length;
    page.writing += 1;
    this.#settings.write(bytes, () => this.#onWritten(page, bytes.length));
  }

  /** From here on what is written leaves, and what was written before does now. */
  open(): void {
    this.#isOpen = true;
    this.flush();
  }

  /** What is written from here on goes nowhere. */
  close(): void {
    this.#isOpen = false;
  }

  #turnPage(): void {
    this.#page = this.#spare.pop() ?? { bytes: Buffer.allocUnsafeSlow(PAGE_BYTES), writing: 0 };
    this.at = 0;
    this.#begin = 0;
  }

  #onWritten(page: Page, sizeBytes: number): void {
    page.writing -= 1;
    this.#backlogBytes -= sizeBytes;
    const isFree = page.writing === 0 && page !== this.#page;
    if (isFree && this.#spare.length < SPARE_PAGES_MAX) this.#spare.push(page);
    if (!this.#wasFull || this.#backlogBytes > BACKLOG_MAX_BYTES / 2) return;
    this.#wasFull = false;
    this.#settings.onDrained();
  }
}
