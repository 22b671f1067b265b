/** A buffer that is written front to back. The writer has reserved the room before. */
export interface ByteSink {
  readonly bytes: Buffer;
  /** The offset of the next byte. */
  at: number;
}
