import type { ByteSink } from "../hpack/byte-sink.ts";

/** The socket that an outbox writes to. */
export interface OutboxDeps {
  /** Writes bytes, and calls back when they have been flushed. */
  readonly write: (bytes: Buffer, onWritten: () => void) => void;
  /** Called when the backlog has shrunk to half of its limit, after `isFull` was true. */
  readonly onDrained: () => void;
}

/** The size of a page: enough for some hundred frames, and for the largest one that we write. */
const PAGE_BYTES = 65_536;
/** The limit of pages that are kept for reuse. */
const SPARE_PAGES_MAX = 4;
/** The backlog above which requests wait. */
const BACKLOG_MAX_BYTES = 1_048_576;

/** A buffer that is written to the socket part by part, and reused when all parts have been flushed. */
interface OutputPage {
  readonly bytes: Buffer;
  pendingWrites: number;
}

/** Collects all writes of one event loop turn and passes them to the socket together. */
export class Outbox implements ByteSink {
  readonly #deps: OutboxDeps;
  readonly #sparePages: OutputPage[] = [];
  #page: OutputPage = { bytes: Buffer.allocUnsafeSlow(PAGE_BYTES), pendingWrites: 0 };
  /** The offset of the first byte that was not passed to the socket. */
  #flushedOffset = 0;
  #backlogBytes = 0;
  #wasFull = false;
  #isScheduled = false;
  #isOpen = false;
  offset = 0;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** The page that is written now. */
  get bytes(): Buffer {
    return this.#page.bytes;
  }

  /** True while the server reads too slowly, so that the backlog exceeds its limit. */
  get isFull(): boolean {
    const isFull = this.#backlogBytes > BACKLOG_MAX_BYTES;
    this.#wasFull ||= isFull;
    return isFull;
  }

  /** Reserves up to one page of bytes, and schedules a flush at the end of this turn. */
  reserve(sizeBytes: number): void {
    if (PAGE_BYTES - this.offset < sizeBytes) {
      this.flush();
      this.#startPage();
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  /** Passes all written bytes to the socket. */
  flush(): void {
    this.#isScheduled = false;
    if (this.offset === this.#flushedOffset || !this.#isOpen) return;
    const page = this.#page;
    const bytes = page.bytes.subarray(this.#flushedOffset, this.offset);
    this.#flushedOffset = this.offset;
    this.#backlogBytes += bytes.length;
    page.pendingWrites += 1;
    this.#deps.write(bytes, () => this.#onWritten(page, bytes.length));
  }

  /** Starts to write to the socket, including all bytes collected before. */
  open(): void {
    this.#isOpen = true;
    this.flush();
  }

  /** Discards all later writes. */
  close(): void {
    this.#isOpen = false;
  }

  #startPage(): void {
    this.#page = this.#sparePages.pop() ?? {
      bytes: Buffer.allocUnsafeSlow(PAGE_BYTES),
      pendingWrites: 0,
    };
    this.offset = 0;
    this.#flushedOffset = 0;
  }

  #onWritten(page: OutputPage, sizeBytes: number): void {
    page.pendingWrites -= 1;
    this.#backlogBytes -= sizeBytes;
    const isFree = page.pendingWrites === 0 && page !== this.#page;
    if (isFree && this.#sparePages.length < SPARE_PAGES_MAX) this.#sparePages.push(page);
    if (!this.#wasFull || this.#backlogBytes > BACKLOG_MAX_BYTES / 2) return;
    this.#wasFull = false;
    this.#deps.onDrained();
  }
}
