import { useQuery } from "@tanstack/react-query";
import type { Device } from "@tocsin/sdk";
import { useEffect, useRef } from "react";
import { devicesQuery } from "../device-queries.ts";
import { LOOK_EVERY_MS } from "./pairing-queries.ts";

/** Calls `onArrival` with the first device that was not in the account's list when this was first shown. */
export function useArrival(onArrival: (device: Device) => void): void {
  const { data: devices } = useQuery({ ...devicesQuery, refetchInterval: LOOK_EVERY_MS });
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (devices === undefined) return;
    if (known.current === null) {
      known.current = new Set(devices.map(({ id }) => id));
      return;
    }
    const arrived = devices.find(({ id }) => known.current?.has(id) === false);
    if (arrived === undefined) return;
    known.current = new Set(devices.map(({ id }) => id));
    onArrival(arrived);
  }, [devices, onArrival]);
}
