import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { PairingProof } from "@tocsin/sdk";
import { useCallback } from "react";
import { storeAccount } from "../../accounts/stored-account.ts";
import { SESSION_QUERY_KEY } from "../../accounts/session.ts";
import { client } from "../../client.ts";
import { storeInstallToken } from "./install-token.ts";

/** Returns a function that signs this browser in with a pairing. */
export function usePairingSignIn(): (proof: PairingProof) => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return useCallback(
    async (proof) => {
      const { account, installToken } = await client.pair(proof);
      storeAccount(account);
      storeInstallToken(installToken);
      queryClient.setQueryData(SESSION_QUERY_KEY, account);
      await router.invalidate();
    },
    [queryClient, router],
  );
}
