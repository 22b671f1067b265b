import type { ByteSink } from "../hpack/byte-sink.ts";

export interface OutboxSettings {
  /** Writes bytes, and calls back when they were flushed. */
  readonly write: (bytes: Buffer, onWritten: () => void) => void;
  /** Called when a large backlog has been flushed almost completely. */
  readonly onDrained: () => void;
}

/** Holds some hundred frames, and is larger than any that we write. */
const PAGE_BYTES = 65_536;
/** The limit of pages that are kept for reuse. */
const SPARE_PAGES_MAX = 4;
/** Above this backlog, requests wait. */
const BACKLOG_MAX_BYTES = 1_048_576;

/** A buffer whose parts are written to the socket; it is reused when all of them were flushed. */
interface OutputPage {
  readonly bytes: Buffer;
  writing: number;
}

/** Collects all writes of one event loop turn, and hands them to the socket as one. */
export class Outbox implements ByteSink {
  readonly #settings: OutboxSettings;
  readonly #spare: OutputPage[] = [];
  #page: OutputPage = { bytes: Buffer.allocUnsafeSlow(PAGE_BYTES), writing: 0 };
  /** The offset of the first byte that was not handed to the socket. */
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

  /** True while the server does not take the backlog. */
  get isFull(): boolean {
    const isFull = this.#backlogBytes > BACKLOG_MAX_BYTES;
    this.#wasFull ||= isFull;
    return isFull;
  }

  /** Reserves that many bytes, one page at most, and schedules a flush at the end of this turn. */
  reserve(sizeBytes: number): void {
    if (PAGE_BYTES - this.at < sizeBytes) {
      this.flush();
      this.#turnPage();
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  /** Hands all written bytes to the socket. */
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

  /** Opens the way to the socket, also for bytes that were written before. */
  open(): void {
    this.#isOpen = true;
    this.flush();
  }

  /** Discards everything written from now on. */
  close(): void {
    this.#isOpen = false;
  }

  #turnPage(): void {
    this.#page = this.#spare.pop() ?? { bytes: Buffer.allocUnsafeSlow(PAGE_BYTES), writing: 0 };
    this.at = 0;
    this.#begin = 0;
  }

  #onWritten(page: OutputPage, sizeBytes: number): void {
    page.writing -= 1;
    this.#backlogBytes -= sizeBytes;
    const isFree = page.writing === 0 && page !== this.#page;
    if (isFree && this.#spare.length < SPARE_PAGES_MAX) this.#spare.push(page);
    if (!this.#wasFull || this.#backlogBytes > BACKLOG_MAX_BYTES / 2) return;
    this.#wasFull = false;
    this.#settings.onDrained();
  }
}
