import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useId, useState } from "react";
import { client } from "../../client.ts";
import { createPairingQuery, createPairingStateQuery } from "./pairing-queries.ts";

/**
 * Returns the pairing of an open dialog, whether it was used, and a function that replaces it with a new one. The
 * pairing is removed when it is replaced or the dialog closes.
 */
export function usePairing() {
  const dialogId = useId();
  const [attempt, setAttempt] = useState(0);
  const pairing = useQuery(createPairingQuery(`${dialogId}${attempt}`));
  const id = pairing.data?.id ?? null;
  const { data: state } = useQuery(createPairingStateQuery(id));
  useEffect(() => {
    if (id === null) return undefined;
    // Ignores a failure: an unused pairing expires after ten minutes.
    return () => void client.pairings.remove(id).catch(() => {});
  }, [id]);
  const isUsed = state?.state === "used";
  const renew = useCallback(() => setAttempt((count) => count + 1), []);
  return { pairing, isUsed, renew };
}
