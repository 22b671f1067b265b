import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { client } from "../client.ts";
import { turnOff } from "../devices/this-device.ts";
import { PATHS } from "../paths.ts";
import { useAccount } from "./account-context.ts";
import { forgetAccount } from "./stored-account.ts";
import { forgetData, sessionKey } from "./session.ts";

/** Returns a function that ends the session. It also removes this device: only signed-in devices get notifications. */
export function useSignOut(): () => Promise<void> {
  const account = useAccount();
  const leave = useLeave();
  return async () => {
    await endSession(account.id);
    await leave();
  };
}

/** Returns a function that ends the account's session and stays on the page, so that another account can sign in. */
export function useSignOutHere(): (accountId: string) => Promise<void> {
  const queryClient = useQueryClient();
  return async (accountId) => {
    await endSession(accountId);
    forgetAccount();
    queryClient.setQueryData(sessionKey, null);
    forgetData(queryClient);
  };
}

/** Returns a function that deletes the account's data from this browser after the server has ended its session. */
export function useLeave(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    forgetAccount();
    queryClient.setQueryData(sessionKey, null);
    await navigate({ to: PATHS.signIn });
    forgetData(queryClient);
  };
}

async function endSession(accountId: string): Promise<void> {
  await turnOff(accountId);
  await client.signOut();
}
