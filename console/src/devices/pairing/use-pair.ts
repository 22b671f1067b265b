import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { PairingProof } from "@tocsin/sdk";
import { useCallback } from "react";
import { storeAccount } from "../../accounts/stored-account.ts";
import { sessionKey } from "../../accounts/session.ts";
import { client } from "../../client.ts";
import { keepInstallToken } from "./install-token.ts";

/** Returns a function that signs this browser in with a pairing. */
export function usePair(): (proof: PairingProof) => Promise<void> {
  const queryClient = useQueryClient();
  const router = useRouter();
  return useCallback(
    async (proof) => {
      const { account, installToken } = await client.pair(proof);
      storeAccount(account);
      keepInstallToken(installToken);
      queryClient.setQueryData(sessionKey, account);
      await router.invalidate();
    },
    [queryClient, router],
  );
}
