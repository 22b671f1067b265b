import { DELIVERY_STATE_GROUPS } from "@tocsin/sdk";
import type { CommandDescription } from "../description.ts";
import { ALLOW_HTTP, SIGNED_IN_URL } from "./shared.ts";

const SIGNED_IN =
  "It acts as the person who is signed in with tocsin login or TOCSIN_ACCESS_TOKEN.";

const SIGNED_IN_EXITS =
  "1 the login cannot be read, 2 wrong usage, 3 the server refused, 4 the server did not answer";

const TIMES = "such as 2h, 7d, 2026-01-31 or 2026-01-31T12:00:00Z";

/** Describes `tocsin log`. */
export const LOG = {
  name: "log",
  summary: "show what was sent, and explain each delivery",
  usage: "[ID] [options]",
  about: [
    `Lists what your API keys and you yourself sent, newest first, with the result. With the ID of a notification, it explains each device: every attempt, the response of the push service, and what follows. ${SIGNED_IN}`,
    [
      "  tocsin log --state failed --since 24h",
      "  tocsin log 019a8f5e-2c41-7d03-9f6e-5b1c0d7a4e22",
    ].join("\n"),
  ],
  options: {
    state: {
      type: "string",
      value: "STATE",
      about: "only with a device in this state: delivered, failed, waiting or skipped",
      values: Object.keys(DELIVERY_STATE_GROUPS),
    },
    device: {
      type: "string",
      value: "DEVICE",
      about: "only what was sent to this device: its name or id",
    },
    key: {
      type: "string",
      value: "KEY",
      about:
        "only what this API key sent: its label, last characters or id; none for what was sent without a key",
    },
    channel: { type: "string", value: "NAME", about: "only notifications of this channel" },
    code: {
      type: "string",
      value: "CODE",
      about: "only where a delivery ended for this reason, such as device_gone",
    },
    search: { type: "string", value: "TEXT", about: "only with this text in the title or body" },
    since: { type: "string", value: "TIME", about: `only from this time on, ${TIMES}` },
    until: { type: "string", value: "TIME", about: "only before this time" },
    limit: {
      type: "string",
      value: "NUMBER",
      about: "show at most this many; default 20, or 500 devices with an ID",
    },
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    json: {
      type: "boolean",
      about:
        'print {"items", "isComplete"}; with an ID, the notification with its "deliveries" and "isComplete"',
    },
  },
  notes: ["A date without a time begins at midnight in UTC."],
  exits: `0 shown, ${SIGNED_IN_EXITS}`,
} as const satisfies CommandDescription;

/** Describes `tocsin devices`. */
export const DEVICES = {
  name: "devices",
  summary: "list your devices and their state",
  usage: "[--json]",
  about: [
    `Lists your devices with their state and what became of the last notification to each. ${SIGNED_IN}`,
    "  tocsin devices --json | jq -r '.items[] | select(.paused) | .name'",
  ],
  options: {
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    json: { type: "boolean", about: 'print {"items"}, as the app API lists devices' },
  },
  exits: `0 shown, ${SIGNED_IN_EXITS}`,
} as const satisfies CommandDescription;

/** Describes `tocsin device add`. */
export const DEVICE_ADD = {
  name: "device add",
  summary: "add an app that speaks ntfy's API, such as the app of ntfy",
  usage: "NAME [--platform ios] [options]",
  about: [
    `Adds an app that connects to the server by itself as a device of your account, and prints what to enter in it. ${SIGNED_IN}`,
    '  tocsin device add "My phone"',
  ],
  options: {
    platform: {
      type: "string",
      value: "PLATFORM",
      about: "android, ios or web; default android",
    },
    other: { type: "boolean", about: "another program that listens like the app of ntfy" },
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    json: {
      type: "boolean",
      about: 'print {"device", "url", "topic", "userName", "password"}',
    },
  },
  notes: ["The password is shown only now."],
  exits: `0 added, ${SIGNED_IN_EXITS}`,
} as const satisfies CommandDescription;

/** Describes `tocsin keys`. */
export const KEYS = {
  name: "keys",
  summary: "list your API keys",
  usage: "[--json]",
  about: [
    `Lists the API keys of your account and of the teams that you manage. The keys themselves are shown only when they are created; their last characters tell them apart. ${SIGNED_IN}`,
    "  tocsin keys --json | jq -r '.items[] | select(.lastUsedAt == null) | .id'",
  ],
  options: {
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    json: { type: "boolean", about: 'print {"items"}, as the app API lists keys' },
  },
  exits: `0 shown, ${SIGNED_IN_EXITS}`,
} as const satisfies CommandDescription;

/** Describes `tocsin key create`. */
export const KEY_CREATE = {
  name: "key create",
  summary: "create an API key",
  usage: "[--label TEXT] [options]",
  about: [
    `Creates an API key that sends to your devices, or to those of a team that you manage. ${SIGNED_IN}`,
    "  tocsin key create --label backups --expires 90d",
  ],
  options: {
    label: { type: "string", value: "TEXT", about: "what the key is for, at most 80 characters" },
    team: { type: "string", value: "TEAM", about: "a key of this team: its name or id" },
    expires: {
      type: "string",
      value: "TIME",
      about: "the key expires then, such as 90d or 2027-01-31; default never",
    },
    "post-only": { type: "boolean", about: "refuse GET with this key" },
    dialect: {
      type: "string",
      value: "API",
      about:
        "a key for programs that speak this API (ntfy, gotify or pushover), in the form that they accept",
    },
    channel: {
      type: "string",
      value: "NAME",
      about: "the channel of sends in other services' APIs that name none; default feed",
    },
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    json: { type: "boolean", about: 'print the new key: "key", "id" and what keys lists of it' },
  },
  notes: ["The key is shown only now."],
  exits: `0 created, ${SIGNED_IN_EXITS}`,
} as const satisfies CommandDescription;

/** Describes `tocsin key revoke`. */
export const KEY_REVOKE = {
  name: "key revoke",
  summary: "revoke an API key",
  usage: "ID [options]",
  about: [
    `Revokes an API key: the server refuses it from then on. ID is the one that tocsin keys lists, not the key itself. ${SIGNED_IN}`,
    "  tocsin key revoke 019a8f5e-2c41-7d03-9f6e-5b1c0d7a4e22",
  ],
  options: {
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    json: { type: "boolean", about: 'print {"success", "id"}' },
  },
  exits: `0 revoked, ${SIGNED_IN_EXITS}`,
} as const satisfies CommandDescription;
