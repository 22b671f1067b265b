import type { FastifyRequest } from "fastify";
import { AppError, type ErrorCode } from "#errors.ts";
import type { ForeignError } from "../dialect.ts";

/** A mistake of the caller in one parameter, in Pushover's words. */
export class PushoverError extends AppError {
  readonly parameter: string;
  readonly problem: string;

  /** `problem` is a phrase, such as "cannot be blank". `sentence` is the text; by default, the parameter and the phrase. */
  constructor(parameter: string, problem: string, sentence = `${parameter} ${problem}`) {
    super("invalid_request", sentence);
    this.name = "PushoverError";
    this.parameter = parameter;
    this.problem = problem;
  }
}

const INVALID_TOKEN = new PushoverError("token", "invalid", "application token is invalid");

const STATUS_BY_CODE: Readonly<Partial<Record<ErrorCode, number>>> = {
  body_too_large: 413,
  too_many: 429,
  rate_limited: 429,
  unavailable: 500,
  internal: 500,
};

/** Returns an error as Pushover writes it (pushover.net/api). Programs repeat a request after a status from 500 on. */
export function describePushoverError(error: AppError, { id }: FastifyRequest): ForeignError {
  const isWrongToken = error.code === "missing_key" || error.code === "invalid_key";
  const shown = isWrongToken ? INVALID_TOKEN : error;
  const named = shown instanceof PushoverError ? { [shown.parameter]: shown.problem } : {};
  const body = { ...named, errors: [shown.message], status: 0, request: id };
  return { status: STATUS_BY_CODE[error.code] ?? 400, body };
}
