import { INCIDENT_STATES } from "@tocsin/sdk";
import type { CommandDescription } from "../description.ts";
import { ALLOW_HTTP, SERVER_URL_ABOUT, SIGNED_IN_URL } from "./shared.ts";

/** The values of `--state`, with the default first. */
export const LISTED_STATES = ["open", "all", ...INCIDENT_STATES] as const;

/** The longest `--wait`, in seconds. */
export const WAIT_MAX_SECONDS = 12 * 60 * 60;

const EXAMPLE_ID = "019a8f5e-2c41-7d03-9f6e-5b1c0d7a4e22";

const SIGNED_IN =
  "the person who is signed in with tocsin login or TOCSIN_ACCESS_TOKEN, and who was told about the incident";

const EXITS = "2 wrong usage, 3 the server refused, 4 the server did not answer";

const KEY_OPTION = {
  type: "string",
  value: "KEY",
  about:
    "act as this API key; other users of this machine can read arguments, so prefer TOCSIN_API_KEY, or TOCSIN_API_KEY_FILE for a file that holds it",
} as const;

const INCIDENT_KEY_OPTION = {
  type: "string",
  value: "TEXT",
  about: "the open incident that the API key gave this name",
} as const;

const CONNECTION_OPTIONS = {
  key: KEY_OPTION,
  url: { type: "string", value: "URL", about: SERVER_URL_ABOUT },
  "allow-http": ALLOW_HTTP,
} as const;

/** Describes `tocsin incident list`. */
export const INCIDENT_LIST = {
  name: "incident list",
  summary: "list the incidents that you were told about",
  usage: "[--state STATE] [options]",
  about: [
    "Lists the incidents that you were told about, newest first: the open ones, which nobody has resolved, or those in another state. It acts as the person who is signed in with tocsin login or TOCSIN_ACCESS_TOKEN.",
    "  tocsin incident list --state triggered",
  ],
  options: {
    state: {
      type: "string",
      value: "STATE",
      about: `${LISTED_STATES.join(", ")}; default ${LISTED_STATES[0]}`,
      values: LISTED_STATES,
    },
    limit: { type: "string", value: "NUMBER", about: "show at most this many; default 20" },
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    json: { type: "boolean", about: 'print {"items", "isComplete"}' },
  },
  exits: `0 shown, 1 the login cannot be read, ${EXITS}`,
} as const satisfies CommandDescription;

/** Describes `tocsin incident show`. */
export const INCIDENT_SHOW = {
  name: "incident show",
  summary: "show an incident, or wait until somebody acts",
  usage: "ID [--wait SECONDS] [options]",
  about: [
    "Shows an incident: its state, who acted, and when it rings again. ID is the one that tocsin send and tocsin incident list print.",
    `It acts as ${SIGNED_IN}: they also see its history. With --key or --wait, or if nobody is signed in, it uses an API key: the one that opened the incident, or its successor.`,
    `  tocsin incident show ${EXAMPLE_ID} --wait 600 || echo "nobody took it"`,
  ],
  options: {
    wait: {
      type: "string",
      value: "SECONDS",
      about: `wait until somebody acknowledges or resolves it, 1 to ${WAIT_MAX_SECONDS}; needs an API key`,
    },
    ...CONNECTION_OPTIONS,
    json: {
      type: "boolean",
      about:
        "print the incident as the app API returns it, or with an API key as the notification API does",
    },
  },
  exits: `0 shown, or with --wait somebody acted; 1 with --wait nobody acted in time, or the login cannot be read; ${EXITS.replaceAll(",", ";")}`,
} as const satisfies CommandDescription;

/** Describes `tocsin incident ack`. */
export const INCIDENT_ACK = {
  name: "incident ack",
  summary: "acknowledge incidents, so that they stop ringing",
  usage: "ID... | --incident-key TEXT [options]",
  about: [
    "Acknowledges incidents: they stop ringing, and everybody who was told learns who took them. An incident that somebody has already taken stays theirs.",
    `With ID, it acts as ${SIGNED_IN}. With --incident-key or --key, or if nobody is signed in, it uses an API key and acknowledges one incident, opened by this key or by one that it replaced.`,
    `  tocsin incident ack ${EXAMPLE_ID}`,
  ],
  options: {
    "incident-key": INCIDENT_KEY_OPTION,
    ...CONNECTION_OPTIONS,
    json: {
      type: "boolean",
      about:
        'print {"success", "items": [{"isChanged", "message", "incident"}], "unknown"}; "unknown" has the ids that you were not told about',
    },
  },
  exits: `0 all are acknowledged; 1 some of several do not exist, or the login cannot be read; ${EXITS.replaceAll(",", ";")}, for example because there is no such incident`,
} as const satisfies CommandDescription;

/** Describes `tocsin incident resolve`. */
export const INCIDENT_RESOLVE = {
  name: "incident resolve",
  summary: "resolve an incident",
  usage: "ID | --incident-key TEXT [options]",
  about: [
    "Resolves an incident: it is over, and everybody who was told learns that.",
    `With ID, it acts as ${SIGNED_IN}. With --incident-key or --key, or if nobody is signed in, it uses an API key: the one that opened the incident, or its successor.`,
    "  tocsin incident resolve --incident-key shop",
  ],
  options: {
    "incident-key": INCIDENT_KEY_OPTION,
    ...CONNECTION_OPTIONS,
    json: { type: "boolean", about: 'print {"isChanged", "message", "incident"}' },
  },
  exits: `0 resolved, now or before; 1 the login cannot be read; ${EXITS.replaceAll(",", ";")}, for example because there is no such incident`,
} as const satisfies CommandDescription;
