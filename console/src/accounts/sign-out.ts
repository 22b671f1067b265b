import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { client } from "../client.ts";
import { turnOffNotifications } from "../devices/this-device.ts";
import { PATHS } from "../paths.ts";
import { useAccount } from "./account-context.ts";
import { deleteStoredAccount } from "./stored-account.ts";
import { removeCachedData, SESSION_QUERY_KEY } from "./session.ts";

/** Returns a function that ends the session. It also removes this device: only signed-in devices get notifications. */
export function useSignOut(): () => Promise<void> {
  const account = useAccount();
  const signOutLocally = useLocalSignOut();
  return async () => {
    await endSession(account.id);
    await signOutLocally();
  };
}

/** Returns a function that ends the account's session and stays on the page, so that another account can sign in. */
export function useSignOutInPlace(): (accountId: string) => Promise<void> {
  const queryClient = useQueryClient();
  return async (accountId) => {
    await endSession(accountId);
    deleteStoredAccount();
    queryClient.setQueryData(SESSION_QUERY_KEY, null);
    removeCachedData(queryClient);
  };
}

/** Returns a function that deletes the account's data from this browser after the server has ended its session. */
export function useLocalSignOut(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    deleteStoredAccount();
    queryClient.setQueryData(SESSION_QUERY_KEY, null);
    await navigate({ to: PATHS.signIn });
    removeCachedData(queryClient);
  };
}

async function endSession(accountId: string): Promise<void> {
  await turnOffNotifications(accountId);
  await client.signOut();
}
