import { isIP } from "node:net";
import { plainAddress } from "./address.ts";
import type { Actor } from "./event.ts";
import { familyOf } from "./user-agent.ts";

/** The part of a request that identifies its origin. */
export interface Origin {
  readonly ip: string;
  readonly headers: { readonly "user-agent"?: string | undefined };
}

/** Returns the actor of a request with a session, an access token or an API key. */
export function actorBy(
  origin: Origin,
  credential: Pick<Actor, "accountId" | "credentialId"> & {
    readonly kind: "session" | "access_token" | "api_key";
  },
): Actor {
  return { ...credential, ...readOrigin(origin) };
}

/** Returns the actor of a request without a proven identity. */
export function strangerAt(origin: Origin): Actor {
  return { kind: "unknown", accountId: null, credentialId: null, ...readOrigin(origin) };
}

function readOrigin({ ip, headers }: Origin): Pick<Actor, "address" | "userAgent"> {
  // With `TOCSIN_TRUST_PROXY=true`, `X-Forwarded-For` from a caller may be any string.
  const address = isIP(ip) === 0 ? null : plainAddress(ip);
  return { address, userAgent: familyOf(headers["user-agent"] ?? null) };
}
