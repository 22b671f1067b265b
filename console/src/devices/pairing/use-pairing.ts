import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useId, useState } from "react";
import { client } from "../../client.ts";
import { pairingQuery, pairingStateQuery } from "./pairing-queries.ts";

/**
 * Returns the pairing of an opened dialog, whether it was used, and a function that renews it. The pairing ends with
 * the dialog.
 */
export function usePairing() {
  const dialog = useId();
  const [attempt, setAttempt] = useState(0);
  const pairing = useQuery(pairingQuery(`${dialog}${attempt}`));
  const id = pairing.data?.id ?? null;
  const { data: state } = useQuery(pairingStateQuery(id));
  useEffect(() => {
    if (id === null) return undefined;
    // An unused pairing ends by itself in ten minutes.
    return () => void client.pairings.remove(id).catch(() => {});
  }, [id]);
  const isUsed = state?.state === "used";
  const renew = useCallback(() => setAttempt((count) => count + 1), []);
  return { pairing, isUsed, renew };
}
