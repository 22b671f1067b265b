/** Where bytes are written one after the other; whoever does so has asked for the room before. */
export interface ByteSink {
  readonly bytes: Buffer;
  /** The next place. */
  at: number;
}
