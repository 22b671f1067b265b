import { Outlet, useNavigate } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import type { Account } from "@tocsin/sdk";
import { useCallback, useEffect } from "react";
import { AccountProvider } from "../accounts/account-context.ts";
import { sessionKey } from "../accounts/session.ts";
import { Live } from "../live/live.tsx";
import { PATHS } from "../paths.ts";
import { parseWorkerMessage } from "../worker/message.ts";
import { Frame } from "./frame.tsx";

/** The frame with its page, live, for an account. */
export function SignedIn({ account }: { readonly account: Account }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  useWorkerLinks();
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

/** Goes where a click on a notification leads, without loading anew: what is shown only once stays. */
function useWorkerLinks(): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!("serviceWorker" in navigator)) return;
    const view = new AbortController();
    const listen = ({ data }: MessageEvent<unknown>) => {
      const message = parseWorkerMessage(data);
      if (message?.kind === "open") void navigate({ href: message.path });
    };
    navigator.serviceWorker.addEventListener("message", listen, view);
    return () => view.abort();
  }, [navigate]);
}
