import assert from "node:assert/strict";
import { inspect } from "node:util";
import { TocsinConnectionError, TocsinError } from "./errors.ts";

/** Returns the reason of the promise's rejection. */
export async function getRejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: "It did not fail." });
}

/** Returns the TocsinError that the promise rejects with; fails for any other error. */
export async function getRefusal(promise: Promise<unknown>): Promise<TocsinError> {
  const error = await getRejection(promise);
  assert.ok(error instanceof TocsinError, inspect(error));
  return error;
}

/** Returns the TocsinConnectionError that the promise rejects with; fails for any other error. */
export async function getConnectionError(
  promise: Promise<unknown>,
): Promise<TocsinConnectionError> {
  const error = await getRejection(promise);
  assert.ok(error instanceof TocsinConnectionError, inspect(error));
  return error;
}
