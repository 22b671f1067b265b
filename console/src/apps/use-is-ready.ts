import type { Device } from "@tocsin/sdk";
import { useState } from "react";
import { asksRarely, hasConnected } from "./app-facts.ts";

/**
 * Returns whether a new app can get a test notification; stays true from then on. An app first fetches what it missed
 * and then opens its connection; one that asks rarely opens none.
 */
export function useIsReady(device: Device | null): boolean {
  const [wasReady, setWasReady] = useState(false);
  const isReady =
    device !== null &&
    (device.app?.connected === true || (asksRarely(device) && hasConnected(device)));
  if (isReady && !wasReady) setWasReady(true);
  return isReady || wasReady;
}
