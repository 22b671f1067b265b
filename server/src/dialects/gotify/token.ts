import type { FastifyRequest } from "fastify";

/** Returns the token of a request, in Gotify's order (`auth/authentication.go`); null if it has none. */
export function readToken(request: FastifyRequest): string | null {
  // The server parses queries into objects.
  const query = request.query as Readonly<Record<string, unknown>>;
  const token = query["token"];
  if (typeof token === "string" && token !== "") return token;
  const header = request.headers["x-gotify-key"];
  if (typeof header === "string" && header !== "") return header;
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;
}

/** The user name and the password of a request. */
export interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

/** Returns the user name and the password in the header `Authorization` (RFC 7617); null if it has none. */
export function readBasic({ headers }: FastifyRequest): BasicCredentials | null {
  const value = /^Basic +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (value === undefined) return null;
  const pair = Buffer.from(value, "base64").toString();
  const colon = pair.indexOf(":");
  return colon === -1 ? null : { name: pair.slice(0, colon), password: pair.slice(colon + 1) };
}
