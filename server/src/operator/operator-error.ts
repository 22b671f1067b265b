/** Explains in one line why an operator's command failed, and the remedy. */
export class OperatorError extends Error {
  /** For programs. */
  readonly code: string;
  /** The input at fault; null if there is none. */
  readonly field: string | null;
  /** True if the command was called wrongly, and nothing was done. */
  readonly isUsage: boolean;

  constructor(
    code: string,
    message: string,
    cause?: unknown,
    { field = null, isUsage = code === "usage" }: OperatorErrorDetails = {},
  ) {
    super(message, { cause });
    this.name = "OperatorError";
    this.code = code;
    this.field = field;
    this.isUsage = isUsage;
  }
}

interface OperatorErrorDetails {
  readonly field?: string | null;
  readonly isUsage?: boolean;
}
