import { Outlet } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import type { Account } from "@tocsin/sdk";
import { useEffect } from "react";
import { AccountProvider } from "../accounts/account-context.ts";
import { Live } from "../live/live.tsx";
import { keepFeed } from "../notifications/feed/keep-feed.ts";
import { Frame } from "./frame.tsx";

/** The frame with its page and live updates, for an account. */
export function SignedIn({ account }: { readonly account: Account }) {
  const queryClient = useQueryClient();
  useEffect(() => keepFeed(queryClient, account.id), [queryClient, account.id]);
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
