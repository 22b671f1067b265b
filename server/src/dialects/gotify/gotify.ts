import { STATUS_CODES } from "node:http";
import type { AppError, ErrorCode } from "#errors.ts";
import type { Dialect, ForeignError } from "../dialect.ts";
import { registerAppRoutes } from "./app/routes.ts";
import { registerClientRoutes } from "./app/client-routes.ts";
import { registerGotifyRoutes } from "./routes.ts";

/** The API of Gotify with which senders post messages, and apps receive them. */
export const GOTIFY: Dialect = {
  register: (server, deps) => {
    registerGotifyRoutes(server, deps);
    registerAppRoutes(server, deps);
    registerClientRoutes(server, deps);
  },
  describeError: describeGotifyError,
};

/** Gotify's own text, both for a missing token and for a wrong one. */
const UNAUTHORIZED_TEXT =
  "you need to provide a valid access token or user credentials to access this api";

const STATUS_BY_CODE: Readonly<Partial<Record<ErrorCode, number>>> = {
  missing_key: 401,
  invalid_key: 401,
  // The code of a sign-in.
  expired: 401,
  // The app was removed meanwhile.
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  body_too_large: 413,
  too_many: 429,
  rate_limited: 429,
  unavailable: 500,
  internal: 500,
};

/** Returns an error as gotify/server writes it (`error/handler.go`). */
export function describeGotifyError({ code, message }: AppError): ForeignError {
  const status = STATUS_BY_CODE[code] ?? 400;
  const errorDescription = status === 401 ? UNAUTHORIZED_TEXT : message;
  return { status, body: { error: STATUS_CODES[status], errorCode: status, errorDescription } };
}
