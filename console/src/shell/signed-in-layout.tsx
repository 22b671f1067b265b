import { Outlet } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import type { Account } from "@tocsin/sdk";
import { useEffect } from "react";
import { AccountProvider } from "../accounts/account-context.ts";
import { LiveUpdates } from "../live/live-updates.tsx";
import { storeFeedOnChange } from "../notifications/feed/store-feed-on-change.ts";
import { Frame } from "./frame.tsx";

/** The frame, the page and the live updates of a signed-in account. */
export function SignedInLayout({ account }: { readonly account: Account }) {
  const queryClient = useQueryClient();
  useEffect(() => storeFeedOnChange(queryClient, account.id), [queryClient, account.id]);
  return (
    <AccountProvider value={account}>
      <LiveUpdates account={account}>
        <Frame>
          <Outlet />
        </Frame>
      </LiveUpdates>
    </AccountProvider>
  );
}
