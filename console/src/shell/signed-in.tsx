import { Outlet } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import type { Account } from "@tocsin/sdk";
import { useEffect } from "react";
import { AccountProvider } from "../accounts/account-context.ts";
import { Live } from "../live/live.tsx";
import { storeFeedOnChange } from "../notifications/feed/store-feed-on-change.ts";
import { Frame } from "./frame.tsx";

/** The frame, the page and the live updates of a signed-in account. */
export function SignedIn({ account }: { readonly account: Account }) {
  const queryClient = useQueryClient();
  useEffect(() => storeFeedOnChange(queryClient, account.id), [queryClient, account.id]);
  return (
    <AccountProvider value={account}>
      <Live account={account}>
        <Frame>
          <Outlet />
        </Frame>
      </Live>
    </AccountProvider>
  );
}
