/** A block of fields that cannot be read: what the two sides know of the tables differs from now on (RFC 7541 section 3). */
export class CompressionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CompressionError";
  }
}
