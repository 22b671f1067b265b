/** A buffer that is written front to back. The caller reserves the space before it writes. */
export interface ByteSink {
  readonly bytes: Buffer;
  /** The offset of the next byte. */
  offset: number;
}
