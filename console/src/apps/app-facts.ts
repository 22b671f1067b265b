import type { Device, DeviceApp, Dialect } from "@tocsin/sdk";
import { PATHS } from "../paths.ts";

/** The phone apps of other services that can connect to this server. */
export const PHONE_APPS = ["ntfy", "gotify"] as const;

/** A phone app of another service. It connects to this server itself, without a push service. */
export type PhoneApp = (typeof PHONE_APPS)[number];

/** The names of the apps, which are the same in every language. */
export const APP_NAMES: Readonly<Record<PhoneApp, string>> = { ntfy: "ntfy", gotify: "Gotify" };

/** Returns the phone apps that can connect to a server that speaks these dialects. */
export function listPhoneApps(dialects: readonly Dialect[]): readonly PhoneApp[] {
  return PHONE_APPS.filter((app) => dialects.includes(app));
}

/** Returns the name of a device's app; null if the app is unknown. */
export function getAppName({ client }: Pick<DeviceApp, "client">): string | null {
  return client === "other" ? null : APP_NAMES[client];
}

/** Returns whether the app has reached the server at least once. */
export function hasConnected({ app }: Pick<Device, "app">): boolean {
  return app !== undefined && (app.connected || app.lastConnectedAt !== null);
}

/**
 * Returns whether notifications wait until the device's app connects. A device without an app waits for its push
 * service.
 */
export function waitsForApp({ app, lastDelivery }: Pick<Device, "app" | "lastDelivery">): boolean {
  return app !== undefined && lastDelivery?.state === "held";
}

/** Returns whether the app asks the server only now and then. On an iPhone, the ntfy app keeps no connection. */
export function asksRarely({ app, platform }: Pick<Device, "app" | "platform">): boolean {
  return app?.client === "ntfy" && platform === "ios";
}

/**
 * Returns the link that adds a channel to the ntfy app as a topic of its own, in the format of the app's documentation.
 * Null for a channel whose name is a path of the console: such a name cannot be a topic.
 */
export function toTopicLink(url: string, channel: string): string | null {
  if (PAGE_NAMES.has(channel.toLowerCase())) return null;
  const { host, protocol } = new URL(url);
  const display = channel.charAt(0).toUpperCase() + channel.slice(1);
  const security = protocol === "https:" ? "" : "&secure=false";
  return `ntfy://${host}/${channel}?display=${encodeURIComponent(display)}${security}`;
}

const PAGE_NAMES: ReadonlySet<string> = new Set(
  Object.values(PATHS).map((path) => path.split("/")[1] ?? ""),
);
