import { TocsinError, type OidcCallback } from "@tocsin/sdk";
import { isUnreachable } from "../../errors.ts";

/** The reason that a sign-in through the identity provider failed. */
export type OidcProblem =
  | "cancelled"
  | "refused"
  | "expired"
  | "invitation"
  | "closed"
  | "unconfirmed"
  | "unavailable"
  | "other";

/** The identity provider's response, in the query of the redirect URL. */
export type OidcResponse =
  | { readonly kind: "code"; readonly input: OidcCallback }
  | { readonly kind: "problem"; readonly problem: OidcProblem };

/** Returns the identity provider's response and removes it from the address bar and the history. */
export function takeOidcResponse(): OidcResponse {
  const response = parseOidcResponse(location.search);
  history.replaceState(history.state, "", location.pathname);
  return response;
}

/** Parses the query of the redirect URL (RFC 6749 sections 4.1.2 and 4.1.2.1, RFC 9207 section 2). */
export function parseOidcResponse(search: string): OidcResponse {
  const query = new URLSearchParams(search);
  const [error, state, code, iss] = ["error", "state", "code", "iss"].map((name) =>
    query.get(name),
  );
  if (error)
    return { kind: "problem", problem: CANCELLED_ERROR_CODES.has(error) ? "cancelled" : "refused" };
  if (!state || !code) return { kind: "problem", problem: "expired" };
  return { kind: "code", input: { state, code, ...(iss ? { iss } : {}) } };
}

/** Returns the reason that the server rejected a sign-in. */
export function toOidcProblem(error: unknown): OidcProblem {
  if (isUnreachable(error)) return "unavailable";
  return error instanceof TocsinError ? (PROBLEMS_BY_CODE[error.code] ?? "other") : "other";
}

const CANCELLED_ERROR_CODES: ReadonlySet<string> = new Set([
  "access_denied",
  "interaction_required",
]);

const PROBLEMS_BY_CODE: Readonly<Record<string, OidcProblem>> = {
  expired: "expired",
  unauthenticated: "refused",
  invitation_required: "invitation",
  sign_up_closed: "closed",
  forbidden: "unconfirmed",
  unavailable: "unavailable",
};
