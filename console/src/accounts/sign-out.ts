import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { client } from "../client.ts";
import { turnOff } from "../devices/this-device.ts";
import { PATHS } from "../paths.ts";
import { useAccount } from "./account-context.ts";
import { forgetAccount } from "./kept-account.ts";
import { forgetData, sessionKey } from "./session.ts";

/**
 * Returns a function that ends the session. Notifications reach only signed-in devices, so it also removes this one.
 */
export function useSignOut(): () => Promise<void> {
  const account = useAccount();
  const leave = useLeave();
  return async () => {
    await endSession(account.id);
    await leave();
  };
}

/**
 * Returns a function that ends the account's session and stays on the page, which is then ready for another sign-in.
 */
export function useSignOutHere(): (accountId: string) => Promise<void> {
  const queryClient = useQueryClient();
  return async (accountId) => {
    await endSession(accountId);
    forgetAccount();
    queryClient.setQueryData(sessionKey, null);
    forgetData(queryClient);
  };
}

/** Returns a function that makes this browser forget the account after the server has ended its session. */
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
