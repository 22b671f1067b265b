import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError, invalidField, type ErrorCode } from "#errors.ts";
import { describeNtfyError, NtfyError } from "./ntfy-error.ts";

/** Our codes, each with the code, the status and the text of ntfy for it. */
const DESCRIPTIONS: readonly (readonly [
  ourCode: ErrorCode,
  code: number,
  status: number,
  error: string,
])[] = [
  ["missing_key", 40301, 403, "forbidden"],
  ["invalid_key", 40101, 401, "unauthorized"],
  ["not_found", 40401, 404, "page not found"],
  ["body_too_large", 41303, 413, "request body too large"],
  ["rate_limited", 42901, 429, "limit reached: too many requests"],
  ["too_many", 42909, 429, "limit reached: too many auth failures"],
  ["post_only", 40000, 400, "invalid request; reason"],
  ["unavailable", 50001, 500, "internal server error; reason"],
];

for (const [ourCode, code, status, error] of DESCRIPTIONS) {
  test(`${ourCode} is ${code} in ntfy, and its body has no further members`, () => {
    const description = describeNtfyError(new AppError(ourCode, "reason"));
    assert.deepEqual(description, { status, body: { code, http: status, error } });
  });
}

test("an error of ntfy keeps its code, and the text names the field of our own error", () => {
  const error = "invalid request: actions invalid; JSON error";
  assert.deepEqual(describeNtfyError(new NtfyError(40018, "JSON error")), {
    status: 400,
    body: { code: 40018, http: 400, error },
  });
  assert.deepEqual(describeNtfyError(invalidField("X-TTL", "X-TTL must be a whole number.")), {
    status: 400,
    body: { code: 40000, http: 400, error: "invalid request; X-TTL must be a whole number." },
  });
});
