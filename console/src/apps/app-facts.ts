import type { Device, DeviceApp } from "@tocsin/sdk";
import { PATHS } from "../paths.ts";

/** The programs that a person can add as an app of a phone. */
export const PHONE_APPS = ["ntfy", "gotify"] as const;

/** An app of a phone that connects to the server by itself. */
export type PhoneApp = (typeof PHONE_APPS)[number];

/** The names of the apps, which are the same in every language. */
export const APP_NAMES: Readonly<Record<PhoneApp, string>> = { ntfy: "ntfy", gotify: "Gotify" };

/** Returns the name of a device's program; null for one that is not known. */
export function getAppName({ client }: Pick<DeviceApp, "client">): string | null {
  return client === "other" ? null : APP_NAMES[client];
}

/** Returns whether the app has reached the server at least once. */
export function hasConnected({ app }: Pick<Device, "app">): boolean {
  return app !== undefined && (app.connected || app.lastConnectedAt !== null);
}

/** Returns whether the app asks only now and then: that of ntfy keeps no connection on an iPhone. */
export function asksRarely({ app, platform }: Pick<Device, "app" | "platform">): boolean {
  return app?.client === "ntfy" && platform === "ios";
}

/**
 * Returns the link that adds a channel to the app of ntfy as a topic of its own, as the app's documentation describes it. Null
 * for a channel whose name is a path of the console, because it cannot be a topic.
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
