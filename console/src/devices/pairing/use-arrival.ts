import { useQuery } from "@tanstack/react-query";
import type { Device } from "@tocsin/sdk";
import { useEffect, useRef } from "react";
import { devicesQuery } from "../device-queries.ts";
import { POLL_INTERVAL_MS } from "./pairing-queries.ts";

/** Calls `onArrival` with the first device that was not in the account's list when the component mounted. */
export function useArrival(onArrival: (device: Device) => void): void {
  const { data: devices } = useQuery({ ...devicesQuery, refetchInterval: POLL_INTERVAL_MS });
  const knownIds = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (devices === undefined) return;
    if (knownIds.current === null) {
      knownIds.current = new Set(devices.map(({ id }) => id));
      return;
    }
    const newDevice = devices.find(({ id }) => knownIds.current?.has(id) === false);
    if (newDevice === undefined) return;
    knownIds.current = new Set(devices.map(({ id }) => id));
    onArrival(newDevice);
  }, [devices, onArrival]);
}
