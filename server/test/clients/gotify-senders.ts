import type { TestRequest } from "../contract/http-requests.ts";

/** A program that sends to Gotify: its request, as in its source code, and the notification that arrives. */
interface GotifySender {
  readonly program: string;
  /** The repository and the file that makes the request. */
  readonly source: string;
  readonly createRequest: (token: string) => TestRequest;
  readonly expected: Readonly<Record<"title" | "body" | "priority", string>> & {
    readonly markdown?: boolean;
  };
}

const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

/** The programs of docs/ntfy-and-gotify.md that are too large to run in a test. */
export const GOTIFY_SENDERS: readonly GotifySender[] = [
  {
    program: "Proxmox VE",
    source: "proxmox/proxmox-rs: proxmox-notify/src/endpoints/gotify.rs",
    createRequest: (token) => ({
      path: "/message",
      headers: { ...JSON_TYPE, authorization: `Bearer ${token}`, "x-gotify-key": token },
      body: JSON.stringify({
        title: "vzdump backup status (pve.lan): backup failed",
        message: "```\nVMID  NAME  STATUS\n100   web   err\n```",
        priority: 9,
        extras: { "client::display": { contentType: "text/markdown" } },
      }),
    }),
    expected: {
      title: "vzdump backup status (pve.lan): backup failed",
      body: "```\nVMID  NAME  STATUS\n100   web   err\n```",
      priority: "high",
      markdown: true,
    },
  },
  {
    program: "Watchtower",
    source: "containrrr/shoutrrr: pkg/services/gotify/gotify.go",
    createRequest: (token) => ({
      path: `/message?token=${token}`,
      headers: { ...JSON_TYPE, "user-agent": "Go-http-client/1.1", "accept-encoding": "gzip" },
      body: '{"message":"Found new nginx:latest image","title":"Watchtower updates on nas","priority":0}',
    }),
    expected: {
      title: "Watchtower updates on nas",
      body: "Found new nginx:latest image",
      priority: "low",
    },
  },
  {
    program: "Uptime Kuma",
    source: "louislam/uptime-kuma: server/notification-providers/gotify.js",
    createRequest: (token) => ({
      path: `/message?token=${token}`,
      headers: { ...JSON_TYPE, accept: "application/json, text/plain, */*" },
      body: '{"message":"[web] [\u{1f534} Down] timeout of 48000ms","priority":8,"title":"Uptime-Kuma"}',
    }),
    expected: {
      title: "Uptime-Kuma",
      body: "[web] [\u{1f534} Down] timeout of 48000ms",
      priority: "high",
    },
  },
  {
    program: "Sonarr",
    source: "Sonarr/Sonarr: src/NzbDrone.Core/Notifications/Gotify/GotifyProxy.cs",
    createRequest: (token) => ({
      path: `/message?token=${token}`,
      headers: { ...FORM_TYPE, "user-agent": "Sonarr/4.0.9.2244 (alpine 3.20)" },
      body: "title=Episode+Grabbed&message=The+Show+-+1x01+-+Pilot+%5bHDTV%5d&priority=5",
    }),
    expected: {
      title: "Episode Grabbed",
      body: "The Show - 1x01 - Pilot [HDTV]",
      priority: "normal",
    },
  },
];
