import type { Device } from "@tocsin/sdk";
import i18next from "i18next";
import { getServiceName } from "../devices/device-facts.ts";
import { formatTimestamp } from "../page/timestamp.tsx";
import { getAppName } from "./app-facts.ts";

/** Returns the name of a device's push service or app. */
export function formatService(device: Pick<Device, "app" | "provider" | "endpointHost">): string {
  const name = device.app === undefined ? getServiceName(device) : getAppName(device.app);
  return name ?? i18next.t("app.other");
}

/** Returns whether an app is connected, or when it last was; null for a device that a push service reaches. */
export function formatConnection({ app }: Pick<Device, "app">): string | null {
  if (app === undefined) return null;
  if (app.connected) return i18next.t("app.isConnected");
  if (app.lastConnectedAt === null) return i18next.t("app.neverConnected");
  return i18next.t("app.lastConnected", { when: formatTimestamp(app.lastConnectedAt) });
}
