import type { TestRequest } from "../contract/http-requests.ts";

/** The values that a person enters in a program that sends to ntfy or Gotify. */
export interface SenderSettings {
  readonly url: string;
  readonly key: string;
  /** The topic, for programs that send to ntfy. */
  readonly topic: string;
}

/**
 * A request of a program that is too large to run in a test, composed from the program's source code. It contains the
 * values that the recipe tells people to enter.
 */
interface ComposedRequest {
  /** The repository, the file that makes the request, and the commit if it is known. */
  readonly source: string;
  readonly compose: (settings: SenderSettings) => TestRequest;
}

const JSON_HEADERS = { "content-type": "application/json" };

/** Removes slashes from the end of a path, as the programs do from a URL. */
function trimSlashes(path: string): string {
  return path.replace(/\/+$/, "");
}

/** The request of Sonarr for an episode that it downloads. It has no body. */
export const SONARR: ComposedRequest = {
  source: "Sonarr/Sonarr: src/NzbDrone.Core/Notifications/Ntfy/NtfyProxy.cs at 0ef037e2",
  compose: ({ url, key, topic }) => ({
    method: "POST",
    path: `${trimSlashes(new URL(url).pathname)}/${topic}`,
    headers: {
      "user-agent": "Sonarr/4.0.9 (debian 12)",
      "content-length": "0",
      "x-title": "Sonarr - Grabbed",
      "x-message": "The Expanse - 1x01 - Dulcinea [Bluray-1080p]",
      "x-priority": "4",
      authorization: `Bearer ${key}`,
    },
  }),
};

/** The request of Uptime Kuma's type ntfy for a monitor that is down. */
export const UPTIME_KUMA_NTFY: ComposedRequest = {
  source: "louislam/uptime-kuma: server/notification-providers/ntfy.js at 04d5e83e",
  compose: ({ url, key, topic }) => ({
    method: "POST",
    path: new URL(url).pathname,
    headers: {
      ...JSON_HEADERS,
      accept: "application/json, text/plain, */*",
      "user-agent": "axios/1.7.9",
      authorization: `Bearer ${key}`,
    },
    body: JSON.stringify({
      topic,
      message: "timeout of 48000ms",
      priority: 5,
      title: "My web Down [Uptime-Kuma]",
      tags: ["red_circle"],
      actions: [{ action: "view", label: "Open My web", url: "https://web.example.org" }],
    }),
  }),
};

/** The request of Proxmox VE for a backup that failed. It sends the token twice, and its message in a code block. */
export const PROXMOX: ComposedRequest = {
  source: "proxmox/proxmox-rs: proxmox-notify/src/endpoints/gotify.rs at 08b7c501",
  compose: ({ url, key }) => ({
    method: "POST",
    path: `${trimSlashes(new URL(url).pathname)}/message`,
    headers: { ...JSON_HEADERS, authorization: `Bearer ${key}`, "x-gotify-key": key },
    body: JSON.stringify({
      title: "vzdump backup status (pve.lan): backup failed",
      message: "```\nVMID  NAME  STATUS\n100   web   err\n```",
      priority: 9,
      extras: { "client::display": { contentType: "text/markdown" } },
    }),
  }),
};

/** Matches the keys that shoutrrr accepts for Gotify; it refuses all others before it sends. */
const SHOUTRRR_KEY_PATTERN = /^A[\w.-]{14}$/;

/**
 * The request of Watchtower, which sends with shoutrrr, for an updated container. The URL of the settings is one of
 * shoutrrr's, which contains the key. Throws for a key that shoutrrr refuses.
 */
export const WATCHTOWER: ComposedRequest = {
  source: "containrrr/shoutrrr: pkg/services/gotify/gotify.go",
  compose({ url }) {
    const { pathname, searchParams } = new URL(url.replace(/^gotify:/, "http:"));
    const key = trimSlashes(pathname).split("/").at(-1) ?? "";
    if (!SHOUTRRR_KEY_PATTERN.test(key)) throw new Error("shoutrrr refuses this key.");
    return {
      method: "POST",
      path: `/message?token=${key}`,
      headers: { ...JSON_HEADERS, "user-agent": "Go-http-client/1.1", "accept-encoding": "gzip" },
      body: JSON.stringify({
        message: "Found new nginx:latest image (3a1b2c4d5e6f)",
        title: "Watchtower updates on nas",
        priority: Number(searchParams.get("priority") ?? 0),
      }),
    };
  },
};

/**
 * Returns the URL that changedetection hands to Apprise for a URL of its settings: it adds a picture for Discord and its
 * format, so that a URL without a query gets two question marks (changedetectionio/notification/handler.py at 00004b5a).
 */
export function toChangedetectionUrl(url: string): string {
  const avatar = "https://changedetection.io/static/images/avatar-256x256.png";
  const sign = new URL(url).search === "" ? "?" : "&";
  return `${url}${sign}avatar_url=${avatar}${sign}format=text`;
}
