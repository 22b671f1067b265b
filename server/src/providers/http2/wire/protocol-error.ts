/** Thrown if the server violates the protocol, which ends the connection (RFC 9113 section 5.4.1). */
export class ProtocolError extends Error {
  /** An error code of RFC 9113 section 7. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "ProtocolError";
    this.code = code;
  }
}
