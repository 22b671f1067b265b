import type { OFFERED_DIALECTS } from "./dialects.ts";

/** The server and the key that a program sends to. */
export interface ProgramTarget {
  /** The origin of the server. */
  readonly url: string;
  readonly key: string;
}

/**
 * A program that sends to another service, with the values for its settings. The names of its fields are not
 * translated.
 */
export interface KnownProgram {
  readonly name: string;
  readonly createSettings: (target: ProgramTarget) => readonly ProgramSetting[];
}

/** A field of a program, and its value. */
export type ProgramSetting = readonly [field: string, value: string];

/** The programs that send to each service, as the recipes in the documentation describe them. */
export const KNOWN_PROGRAMS: Readonly<
  Record<(typeof OFFERED_DIALECTS)[number], readonly KnownProgram[]>
> = {
  ntfy: [
    {
      name: "Apprise, changedetection",
      createSettings: ({ url, key }) => [
        ["URL", `${toScheme(url, "ntfy")}://${key}@${toHost(url)}/changes`],
      ],
    },
    {
      name: "Sonarr, Radarr",
      createSettings: ({ url, key }) => [
        ["Server URL", url],
        ["Access Token", key],
        ["Topics", "series"],
      ],
    },
    {
      name: "Uptime Kuma",
      createSettings: ({ url, key }) => [
        ["Ntfy Topic", "uptime"],
        ["Server URL", url],
        ["Access Token", key],
      ],
    },
  ],
  gotify: [
    {
      name: "Apprise",
      createSettings: ({ url, key }) => [
        ["URL", `${toScheme(url, "gotify")}://${toHost(url)}/${key}`],
      ],
    },
    {
      name: "Proxmox VE",
      createSettings: ({ url, key }) => [
        ["Server", url],
        ["API Token", key],
      ],
    },
    {
      name: "Sonarr, Radarr",
      createSettings: ({ url, key }) => [
        ["Gotify Server", url],
        ["App Token", key],
      ],
    },
    {
      name: "Uptime Kuma",
      createSettings: ({ url, key }) => [
        ["Server URL", url],
        ["Application Token", key],
      ],
    },
    {
      name: "Watchtower",
      createSettings: ({ url, key }) => [
        ["WATCHTOWER_NOTIFICATIONS", "shoutrrr"],
        [
          "WATCHTOWER_NOTIFICATION_URL",
          `gotify://${toHost(url)}/${key}?priority=5${isEncrypted(url) ? "" : "&disabletls=yes"}`,
        ],
      ],
    },
  ],
  // Most programs for Pushover know only Pushover's own server.
  pushover: [],
};

function isEncrypted(url: string): boolean {
  return new URL(url).protocol === "https:";
}

/** Returns the scheme of Apprise for a service, which ends with an s for a server with TLS. */
function toScheme(url: string, name: "ntfy" | "gotify"): string {
  return isEncrypted(url) ? `${name}s` : name;
}

function toHost(url: string): string {
  return new URL(url).host;
}
