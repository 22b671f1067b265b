import { queryOptions } from "@tanstack/react-query";
import { client } from "../../client.ts";
import { storeNextPath } from "./next-path.ts";

/** Query for the server's identity provider and sign-up policy, and whether it sends email and is set up. */
export const signInMethodsQuery = queryOptions({
  queryKey: ["sign-in-methods"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => client.signInMethods({ signal }),
});

/** Opens the identity provider. `token` comes from a set-up or invitation link; null for neither. */
export async function openIdentityProvider(token: string | null): Promise<void> {
  const { url } = await client.beginOidc(token === null ? {} : { token });
  storeNextPath(token);
  location.assign(url);
  // The button stays busy until the browser leaves the page.
  await new Promise((resolve) => addEventListener("pagehide", resolve, { once: true }));
}
