import { isIP } from "node:net";
import { normaliseAddress } from "./address.ts";
import type { Actor } from "./event.ts";
import { describeUserAgent } from "./user-agent.ts";

/** The part of a request that identifies its origin. */
export interface RequestOrigin {
  readonly ip: string;
  readonly headers: { readonly "user-agent"?: string | undefined };
}

/** Returns the actor of a request with a session, an access token, an API key or the key of a device. */
export function createActor(
  origin: RequestOrigin,
  credential: Pick<Actor, "accountId" | "credentialId"> & {
    readonly kind: "session" | "access_token" | "api_key" | "device";
  },
): Actor {
  return { ...credential, ...readOrigin(origin) };
}

/** Returns the actor of a request with a link that was mailed to a person. */
export function createLinkActor(origin: RequestOrigin, accountId: string): Actor {
  return { kind: "link", accountId, credentialId: null, ...readOrigin(origin) };
}

/** Returns the actor of a request without a proven identity. */
export function createUnknownActor(origin: RequestOrigin): Actor {
  return { kind: "unknown", accountId: null, credentialId: null, ...readOrigin(origin) };
}

function readOrigin({ ip, headers }: RequestOrigin): Pick<Actor, "address" | "userAgent"> {
  // With `TOCSIN_TRUST_PROXY=true`, `X-Forwarded-For` from a caller may be any string.
  const address = isIP(ip) === 0 ? null : normaliseAddress(ip);
  return { address, userAgent: describeUserAgent(headers["user-agent"] ?? null) };
}
