import type { FastifyRequest } from "fastify";
import { createActor } from "#audit/actor.ts";
import type { Actor } from "#audit/event.ts";
import { AppError } from "#errors.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** A signed-in person. */
export interface AuthenticatedPerson {
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
export interface Person extends AuthenticatedPerson {
  /** The same person as the audit log records them, with the origin of the request. */
  readonly actor: Actor;
}

/** Finds the person that a credential belongs to. The accounts room implements it. */
export interface PersonFinder {
  /** Returns the person whose session cookie is in a `Cookie` header; null without a valid session. */
  findBySession(cookie: string): Promise<AuthenticatedPerson | null>;
  /** Returns the owner of an access token; null if it is unknown, expired or revoked. */
  findByAccessToken(token: string): Promise<AuthenticatedPerson | null>;
}

/** Returns the person who sends a request; throws `unauthenticated`. A route handler calls it first. */
export type Authenticate = (request: FastifyRequest) => Promise<Person>;

/** Returns the authentication of the app API: by an access token, or by a session cookie from our own pages. */
export function createAuthenticate(personFinder: PersonFinder, baseUrl: string): Authenticate {
  const origin = new URL(baseUrl).origin;
  return async (request) => {
    const token = parseBearerToken(request);
    if (token !== null) return requirePerson(await personFinder.findByAccessToken(token), request);
    if (request.headers.cookie === undefined) return requirePerson(null, request);
    refuseForeignPage(request, origin);
    return requirePerson(await personFinder.findBySession(request.headers.cookie), request);
  };
}

/** Returns the authentication of administrators' operations, which throws `forbidden` for every other person. */
export function createAuthenticateAdministrator(authenticate: Authenticate): Authenticate {
  return async (request) => {
    const person = await authenticate(request);
    if (person.isAdmin) return person;
    throw new AppError("forbidden", "This is for administrators of the server.");
  };
}

/**
 * Throws `forbidden` for a request from a page of another site, except for GET and HEAD. A request with neither
 * `Sec-Fetch-Site` nor `Origin` does not come from a browser, and only browsers send cookies by themselves.
 */
export function refuseForeignPage(request: FastifyRequest, origin: string): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const fetchSite = request.headers["sec-fetch-site"];
  if (fetchSite === "same-origin" || fetchSite === "none") return;
  const requestOrigin = request.headers.origin;
  if (requestOrigin === undefined && fetchSite === undefined) return;
  if (
    requestOrigin !== undefined &&
    (requestOrigin === origin || parseHost(requestOrigin) === request.headers.host)
  )
    return;
  throw new AppError("forbidden", "This request came from a page of another site.");
}

function parseHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

function parseBearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "");
  return match?.[1] ?? null;
}

function requirePerson(person: AuthenticatedPerson | null, request: FastifyRequest): Person {
  if (person === null) {
    throw new AppError("unauthenticated", "Sign in, or send a valid access token.");
  }
  const { accountId, session, accessTokenId } = person;
  const kind = session === null ? "access_token" : "session";
  const credentialId = session?.id ?? accessTokenId;
  return { ...person, actor: createActor(request, { kind, accountId, credentialId }) };
}

/** A check that runs before the handler of a request. It throws an `AppError` to refuse the request. */
export type Guard = (request: FastifyRequest) => Promise<void>;

/** An API key and the owner that it acts for. `firstKeyId` is the id of the first key of its rotation chain. */
export type RequestPrincipal =
  | {
      readonly kind: "account";
      readonly keyId: string;
      readonly firstKeyId: string;
      readonly accountId: string;
      /** Whether the key refuses to send by GET. */
      readonly isPostOnly: boolean;
    }
  | {
      readonly kind: "team";
      readonly keyId: string;
      readonly firstKeyId: string;
      /** The creator of the key. */
      readonly accountId: string;
      readonly teamId: string;
      readonly isPostOnly: boolean;
    };

/** Returns the principal of a known key that is neither expired nor revoked. The keys room implements it. */
export type FindPrincipal = (key: string) => Promise<RequestPrincipal | null>;

declare module "fastify" {
  interface FastifyRequest {
    /** Assigned by a hook of the notification API, before the body is read. */
    principal: RequestPrincipal | null;
  }
}

/** Returns the principal that a hook found for this request. Throws for a route without the hook, which is a bug. */
export function getPrincipal(request: FastifyRequest): RequestPrincipal {
  if (request.principal === null) throw new Error("This route does not authenticate a key.");
  return request.principal;
}

/** Returns the actor of a request with an API key, as the audit log records it. */
export function createKeyActor(
  request: FastifyRequest,
  { accountId, keyId: credentialId }: RequestPrincipal,
): Actor {
  return createActor(request, { kind: "api_key", accountId, credentialId });
}

/**
 * Returns the principal of `pathKey`, or of the key in `x-api-key` if the path has none. Throws `missing_key` if the
 * request has no key, and `invalid_key` with the same message for every invalid key.
 */
export async function authenticateKey(
  findPrincipal: FindPrincipal,
  request: FastifyRequest,
  pathKey?: string,
): Promise<RequestPrincipal> {
  const header = request.headers["x-api-key"];
  const key = pathKey ?? (Array.isArray(header) ? header[0] : header);
  if (key === undefined || key === "") {
    throw new AppError("missing_key", "Send your API key in the header x-api-key.");
  }
  const principal = await findPrincipal(key.trim());
  if (principal === null) {
    throw new AppError("invalid_key", "Invalid API key, authentication failed");
  }
  return principal;
}

/** Returns a hook that authenticates the key of a request before the body is read, and counts it against the key's rate limit. */
export function createKeyHook({
  findPrincipal,
  rateLimit,
}: {
  readonly findPrincipal: FindPrincipal;
  readonly rateLimit: RateLimiter;
}) {
  return async (request: FastifyRequest): Promise<void> => {
    request.principal = await authenticateKey(findPrincipal, request);
    rateLimit.take(request.principal.keyId, 1);
  };
}
