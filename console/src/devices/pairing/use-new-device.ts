import { useQuery } from "@tanstack/react-query";
import type { Device } from "@tocsin/sdk";
import { useEffect, useRef } from "react";
import { devicesQuery } from "../device-queries.ts";
import { POLL_INTERVAL_MS } from "./pairing-queries.ts";

/**
 * Calls `onNewDevice` when the account's list gets a new device. If it gets several at once, reports only the first.
 */
export function useNewDevice(onNewDevice: (device: Device) => void): void {
  const { data: devices } = useQuery({ ...devicesQuery, refetchInterval: POLL_INTERVAL_MS });
  const listedIds = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (devices === undefined) return;
    if (listedIds.current === null) {
      listedIds.current = new Set(devices.map(({ id }) => id));
      return;
    }
    const newDevice = devices.find(({ id }) => listedIds.current?.has(id) === false);
    if (newDevice === undefined) return;
    listedIds.current = new Set(devices.map(({ id }) => id));
    onNewDevice(newDevice);
  }, [devices, onNewDevice]);
}
