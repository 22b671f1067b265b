/** The failure of an operator's command. Its message is one line, with the remedy. */
export class OperatorError extends Error {
  /** The error code, for programs. */
  readonly code: string;
  /** The invalid input field, or null. */
  readonly field: string | null;
  /** True for invalid arguments: nothing was done. */
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
