import { Outlet, useNavigate } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import type { Account } from "@tocsin/sdk";
import { useCallback, useEffect } from "react";
import { AccountProvider } from "../accounts/account-context.ts";
import { sessionKey } from "../accounts/session.ts";
import { Live } from "../live/live.tsx";
import { keepFeed } from "../notifications/feed/keep-feed.ts";
import { PATHS } from "../paths.ts";
import { Frame } from "./frame.tsx";

/** The frame with its page, live, for an account. */
export function SignedIn({ account }: { readonly account: Account }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => keepFeed(queryClient, account.id), [queryClient, account.id]);
  const onSignedOut = useCallback(() => {
    queryClient.setQueryData(sessionKey, null);
    void navigate({ to: PATHS.signIn });
  }, [queryClient, navigate]);
  return (
    <AccountProvider value={account}>
      <Live account={account} onSignedOut={onSignedOut}>
        <Frame>
          <Outlet />
        </Frame>
      </Live>
    </AccountProvider>
  );
}
