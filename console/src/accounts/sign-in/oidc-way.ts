import { queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";
import { keepNext } from "./next.ts";

/** Query for the ways to sign in besides password and passkey. */
export const methodsQuery = queryOptions({
  queryKey: ["sign-in-methods"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => client.signInMethods({ signal }),
});

/** Leaves for the identity provider; `token` is that of a set-up or invitation link, null for neither. */
export async function leaveForProvider(token: string | null): Promise<void> {
  const { url } = await client.beginOidc(token === null ? {} : { token });
  keepNext(token);
  location.assign(url);
  // The button stays busy until the page is gone.
  await new Promise((resolve) => addEventListener("pagehide", resolve, { once: true }));
}
