/** The header in which the sign-in library reads the caller's address; only we set it. */
export const ADDRESS_HEADER = "x-client-address";
const USER_AGENT_MAX_CHARACTERS = 255;

/** The part of a request that the library may see. */
export interface Caller {
  readonly headers: {
    readonly cookie?: string | undefined;
    readonly "user-agent"?: string | undefined;
  };
  readonly ip: string;
}

/** Returns the headers of a request as the library sees them, with the address that we determined. */
export function callerHeaders({ headers: { cookie, ...others }, ip }: Caller): Headers {
  const headers = new Headers({ [ADDRESS_HEADER]: ip });
  if (cookie !== undefined) headers.set("cookie", cookie);
  const userAgent = others["user-agent"]?.slice(0, USER_AGENT_MAX_CHARACTERS);
  if (userAgent !== undefined) headers.set("user-agent", userAgent);
  return headers;
}
