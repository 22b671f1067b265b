import { isIP } from "node:net";
import { plainAddress } from "./address.ts";
import type { Actor } from "./event.ts";
import { familyOf } from "./user-agent.ts";

/** The part of a request that shows its origin. */
export interface Origin {
  readonly ip: string;
  readonly headers: { readonly "user-agent"?: string | undefined };
}

/** Returns the actor of a session, an access token or an API key. */
export function actorBy(
  origin: Origin,
  known: Pick<Actor, "accountId" | "credentialId"> & {
    readonly kind: "session" | "access_token" | "api_key";
  },
): Actor {
  return { ...known, ...placeOf(origin) };
}

/** Returns an actor without a proven identity, by the origin of the request. */
export function strangerAt(origin: Origin): Actor {
  return { kind: "unknown", accountId: null, credentialId: null, ...placeOf(origin) };
}

function placeOf({ ip, headers }: Origin): Pick<Actor, "address" | "userAgent"> {
  // With `TOCSIN_TRUST_PROXY=true`, a caller's `X-Forwarded-For` may be any text.
  const address = isIP(ip) === 0 ? null : plainAddress(ip);
  return { address, userAgent: familyOf(headers["user-agent"] ?? null) };
}
