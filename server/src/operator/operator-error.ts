/** Explains in one line why an operator's command failed, and the remedy. */
export class OperatorError extends Error {
  /** For programs. */
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "OperatorError";
    this.code = code;
  }
}
