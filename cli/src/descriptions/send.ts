import type { CommandDescription } from "../description.ts";
import { INTERACTION_OPTIONS } from "./interaction-options.ts";
import { CONTENT_OPTIONS } from "./content-options.ts";
import { ALLOW_HTTP, API_KEY, SERVER_URL_ABOUT } from "./shared.ts";

/** Describes `tocsin send`. */
export const SEND = {
  name: "send",
  summary: "send a notification",
  usage: "TITLE [BODY] [options]",
  about: [
    "Sends a notification to every device of the API key's account or team, and prints the result for each device. Without a BODY, or with - as BODY, the body is read from a pipe:",
    '  df -h | tocsin send "Disks"',
    "With --incident-key, the send opens an incident that people take and end. With --priority emergency, it rings until somebody acknowledges it:",
    [
      '  tocsin send "Shop is down" --priority emergency --incident-key shop',
      '  tocsin send "Shop is up" --incident-key shop --resolve',
    ].join("\n"),
  ],
  options: {
    key: API_KEY,
    url: { type: "string", value: "URL", about: SERVER_URL_ABOUT },
    "allow-http": ALLOW_HTTP,
    ...CONTENT_OPTIONS,
    ...INTERACTION_OPTIONS,
    ttl: {
      type: "string",
      value: "SECONDS",
      about: "stop trying after this time; default 86400",
    },
    group: {
      type: "string",
      value: "ID",
      about: "only the devices of this group; needs an account key",
    },
    async: { type: "boolean", about: "return once the notification is stored, without results" },
    wait: {
      type: "boolean",
      about: "wait until every device has its final outcome",
    },
    timeout: {
      type: "string",
      value: "SECONDS",
      about: "longest wait of --wait, 1 to 43200; default 300",
    },
    "idempotency-key": {
      type: "string",
      value: "TEXT",
      about: "a repeated call with the same text within 24 hours sends nothing",
    },
    json: {
      type: "boolean",
      about:
        'print the server\'s response, with "notificationId", for an incident "incidentId", and with --wait "isComplete"',
    },
  },
  notes: [
    "Put -- before a TITLE that begins with a hyphen. Sending takes an API key; the access token of tocsin login does not send.",
  ],
  exits:
    "0 accepted, or with --wait at least one device was reached; 1 no device was reached, or with --wait none in time; 2 wrong usage; 3 the server refused; 4 the server did not answer",
} as const satisfies CommandDescription;
