import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { client } from "../client.ts";
import { turnOff } from "../devices/this-device.ts";
import { PATHS } from "../paths.ts";
import { useAccount } from "./account-context.ts";
import { forgetAccount } from "./kept-account.ts";
import { sessionKey } from "./session.ts";

/** Returns what ends the session: notifications reach the devices that are signed in, so this one is none afterwards. */
export function useSignOut(): () => Promise<void> {
  const account = useAccount();
  const leave = useLeave();
  return async () => {
    await turnOff(account.id);
    await client.signOut();
    await leave();
  };
}

/** Returns what makes this browser forget who was signed in, once the server has. */
export function useLeave(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    forgetAccount();
    queryClient.setQueryData(sessionKey, null);
    await navigate({ to: PATHS.signIn });
    // What one person saw is not for the next.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  };
}
