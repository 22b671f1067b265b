import type { FastifyRequest } from "fastify";
import { actorBy } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import { AppError } from "#errors.ts";

/** A signed-in person. */
export interface KnownPerson {
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isEmailVerified: boolean;
  /** The session of the request, with its start in milliseconds since the epoch; null for an access token. */
  readonly session: { readonly id: string; readonly openedAt: number } | null;
  /** The access token of the request; null for a session. */
  readonly accessTokenId: string | null;
}

/** The signed-in person who sends a request of the app API. */
export interface Person extends KnownPerson {
  /** The same person as the audit log records them, with the origin of the request. */
  readonly actor: Actor;
}

/** Finds the person of a credential. The accounts folder implements it. */
export interface PersonFinder {
  /** Returns the person whose session cookie is in a `Cookie` header. */
  bySession(cookie: string): Promise<KnownPerson | null>;
  byAccessToken(token: string): Promise<KnownPerson | null>;
}

/** Returns the person who sends a request; throws `unauthenticated`. A route handler calls it first. */
export type Authenticate = (request: FastifyRequest) => Promise<Person>;

/** Returns the check that guards the app API: an access token, or a session cookie from our own pages. */
export function createAuthenticate(find: PersonFinder, baseUrl: string): Authenticate {
  const origin = new URL(baseUrl).origin;
  return async (request) => {
    const token = bearerToken(request);
    if (token !== null) return requirePerson(await find.byAccessToken(token), request);
    if (request.headers.cookie === undefined) return requirePerson(null, request);
    refuseForeignPage(request, origin);
    return requirePerson(await find.bySession(request.headers.cookie), request);
  };
}

/** Returns the check that guards administrators' operations: it throws `forbidden` for every other signed-in person. */
export function createAuthenticateAdministrator(authenticate: Authenticate): Authenticate {
  return async (request) => {
    const person = await authenticate(request);
    if (person.isAdmin) return person;
    throw new AppError("forbidden", "This is for administrators of the server.");
  };
}

/**
 * Throws `forbidden` if a page of another site sends this site's cookie. A request with neither `Sec-Fetch-Site` nor
 * `Origin` does not come from a browser, and only browsers send cookies by themselves.
 */
export function refuseForeignPage(request: FastifyRequest, origin: string): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const site = request.headers["sec-fetch-site"];
  if (site === "same-origin" || site === "none") return;
  const requestOrigin = request.headers.origin;
  if (requestOrigin === undefined && site === undefined) return;
  if (
    requestOrigin !== undefined &&
    (requestOrigin === origin || hostOf(requestOrigin) === request.headers.host)
  )
    return;
  throw new AppError("forbidden", "This request came from a page of another site.");
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "");
  return match?.[1] ?? null;
}

function requirePerson(person: KnownPerson | null, request: FastifyRequest): Person {
  if (person === null) {
    throw new AppError("unauthenticated", "Sign in, or send a valid access token.");
  }
  const { accountId, session, accessTokenId } = person;
  const kind = session === null ? "access_token" : "session";
  const credentialId = session?.id ?? accessTokenId;
  return { ...person, actor: actorBy(request, { kind, accountId, credentialId }) };
}

/** Checks a request before its handler runs; throws to refuse it. */
export type Guard = (request: FastifyRequest) => Promise<void>;

/** The owner that an API key acts for, and whether the key refuses to send by GET. */
export type RequestPrincipal =
  | {
      readonly kind: "account";
      readonly keyId: string;
      readonly firstKeyId: string;
      readonly accountId: string;
      readonly isPostOnly: boolean;
    }
  | {
      readonly kind: "team";
      readonly keyId: string;
      readonly firstKeyId: string;
      readonly accountId: string;
      readonly teamId: string;
      readonly isPostOnly: boolean;
    };

/** Returns the principal of a known key that is neither expired nor revoked. The keys folder implements it. */
export type FindPrincipal = (key: string) => Promise<RequestPrincipal | null>;

declare module "fastify" {
  interface FastifyRequest {
    /** Set by a hook of the notification API, before the body is read. */
    principal: RequestPrincipal | null;
  }
}

/** Returns the principal that a hook found for this request; a route without the hook is a bug. */
export function principalOf(request: FastifyRequest): RequestPrincipal {
  if (request.principal === null) throw new Error("This route does not authenticate a key.");
  return request.principal;
}

/**
 * Returns the principal of `pathKey`, or of the key in `x-api-key` if the path has none. Throws `missing_key`, or
 * `invalid_key` with the same message for every invalid key.
 */
export async function authenticateKey(
  find: FindPrincipal,
  request: FastifyRequest,
  pathKey?: string,
): Promise<RequestPrincipal> {
  const header = request.headers["x-api-key"];
  const key = pathKey ?? (Array.isArray(header) ? header[0] : header);
  if (key === undefined || key === "") {
    throw new AppError("missing_key", "Send your API key in the header x-api-key.");
  }
  const principal = await find(key.trim());
  if (principal === null) {
    throw new AppError("invalid_key", "Invalid API key, authentication failed");
  }
  return principal;
}
