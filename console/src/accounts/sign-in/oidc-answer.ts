import { TocsinError, type OidcReturn } from "@tocsin/sdk";
import { isUnreachable } from "../../errors.ts";

/** Reason why a sign-in through the identity provider failed. */
export type OidcProblem =
  | "cancelled"
  | "refused"
  | "over"
  | "invitation"
  | "closed"
  | "unconfirmed"
  | "unavailable"
  | "other";

/** The identity provider's answer, in the address to which it sends the browser. */
export type OidcAnswer =
  | { readonly kind: "code"; readonly input: OidcReturn }
  | { readonly kind: "problem"; readonly problem: OidcProblem };

/** Returns the identity provider's answer and removes it from the address bar and the history. */
export function takeOidcAnswer(): OidcAnswer {
  const answer = oidcAnswerIn(location.search);
  history.replaceState(history.state, "", location.pathname);
  return answer;
}

/** Returns the answer in the query of an address (RFC 6749 sections 4.1.2 and 4.1.2.1, RFC 9207 section 2). */
export function oidcAnswerIn(search: string): OidcAnswer {
  const query = new URLSearchParams(search);
  const [error, state, code, iss] = ["error", "state", "code", "iss"].map((name) =>
    query.get(name),
  );
  if (error) return { kind: "problem", problem: CANCELLED.has(error) ? "cancelled" : "refused" };
  if (!state || !code) return { kind: "problem", problem: "over" };
  return { kind: "code", input: { state, code, ...(iss ? { iss } : {}) } };
}

/** Returns the reason why the server refused a sign-in. */
export function problemOf(error: unknown): OidcProblem {
  if (isUnreachable(error)) return "unavailable";
  return error instanceof TocsinError ? (PROBLEMS[error.code] ?? "other") : "other";
}

const CANCELLED: ReadonlySet<string> = new Set(["access_denied", "interaction_required"]);

const PROBLEMS: Readonly<Record<string, OidcProblem>> = {
  expired: "over",
  unauthenticated: "refused",
  invitation_required: "invitation",
  sign_up_closed: "closed",
  forbidden: "unconfirmed",
  unavailable: "unavailable",
};
