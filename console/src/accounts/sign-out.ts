import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { client } from "../client.ts";
import { turnOff } from "../devices/this-device.ts";
import { PATHS } from "../paths.ts";
import { useAccount } from "./account-context.ts";
import { forgetAccount } from "./kept-account.ts";
import { forgetData, sessionKey } from "./session.ts";

/** Returns what ends the session: notifications reach the devices that are signed in, so this one is none afterwards. */
export function useSignOut(): () => Promise<void> {
  const account = useAccount();
  const leave = useLeave();
  return async () => {
    await endSession(account.id);
    await leave();
  };
}

/** Returns what ends the account's session and stays on the page, which then is for whoever signs in next. */
export function useSignOutHere(): (accountId: string) => Promise<void> {
  const queryClient = useQueryClient();
  return async (accountId) => {
    await endSession(accountId);
    forgetAccount();
    queryClient.setQueryData(sessionKey, null);
    forgetData(queryClient);
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
    forgetData(queryClient);
  };
}

async function endSession(accountId: string): Promise<void> {
  await turnOff(accountId);
  await client.signOut();
}
