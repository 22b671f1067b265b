import type { CommandDescription } from "../description.ts";
import { CONTENT_OPTIONS } from "./content-options.ts";
import { ALLOW_HTTP, SIGNED_IN_URL } from "./shared.ts";

const URL_ABOUT = "server; else TOCSIN_URL, else http://localhost:8080";

/** Describes `tocsin send`. */
export const SEND = {
  name: "send",
  summary: "send a notification",
  usage: "TITLE [BODY] [options]",
  about: [
    "Sends a notification to every device of the API key's account or team, and prints the result for each device. Without a BODY, or with - as BODY, the body is read from a pipe:",
    '  df -h | tocsin send "Disks"',
  ],
  options: {
    key: {
      type: "string",
      value: "KEY",
      about:
        "API key; other users of this machine can read arguments, so prefer TOCSIN_API_KEY, or TOCSIN_API_KEY_FILE for a file that holds it",
    },
    url: { type: "string", value: "URL", about: URL_ABOUT },
    "allow-http": ALLOW_HTTP,
    ...CONTENT_OPTIONS,
    ttl: {
      type: "string",
      value: "SECONDS",
      about: "stop trying after this time; 86400 when not given",
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
      about: "longest wait of --wait, 1 to 43200; 300 when not given",
    },
    "idempotency-key": {
      type: "string",
      value: "TEXT",
      about: "repeating the call with the same text within 24 hours sends nothing again",
    },
    json: {
      type: "boolean",
      about: 'print the server\'s answer, with "notificationId", and with --wait "isComplete"',
    },
  },
  notes: [
    "Put -- before a TITLE that begins with a hyphen. Sending takes an API key; the access token of tocsin login does not send.",
  ],
  exits:
    "0 accepted, or with --wait at least one device was reached; 1 no device was reached, or with --wait none in time; 2 wrong usage; 3 the server refused; 4 no connection to the server",
} as const satisfies CommandDescription;

/** Describes `tocsin login`. */
export const LOGIN = {
  name: "login",
  summary: "sign in to a server, for watch, log, devices and keys",
  usage: "[--url URL] [--email EMAIL] [options]",
  about: [
    "Signs in with e-mail address and password, and with a code where two-factor sign-in is on. The server makes an access token, which is kept in a file that nobody else can read: login.json in $XDG_CONFIG_HOME/tocsin, or in ~/.config/tocsin. The password is not kept. A new login replaces the one before and revokes its token.",
    "On a terminal, the command asks for what is missing. In a script, standard input holds the password in its first line, and a two-factor code in its second line if the account needs one. An account without a password signs in with an access token from the console:",
    "  tocsin login --url https://push.example.org --token-stdin < token.txt",
  ],
  options: {
    url: { type: "string", value: "URL", about: URL_ABOUT },
    email: { type: "string", value: "EMAIL", about: "address to sign in with" },
    "password-stdin": { type: "boolean", about: "read the password from standard input" },
    "token-stdin": {
      type: "boolean",
      about: "read an access token from standard input, instead of signing in",
    },
    "allow-http": ALLOW_HTTP,
    json: {
      type: "boolean",
      about: 'print {"url", "accountId", "email", "file"}; never the token',
    },
  },
  exits:
    "0 signed in, 1 the file cannot be written, 2 wrong usage, 3 the server refused, 4 no connection to the server",
} as const satisfies CommandDescription;

/** Describes `tocsin logout`. */
export const LOGOUT = {
  name: "logout",
  summary: "sign out: revoke the access token and remove it",
  usage: "[--offline] [--json]",
  about: [
    "Revokes the access token that tocsin login made, and removes the file that holds it. A token that was given to --token-stdin is removed from this machine only: revoke it in the console, where it was made.",
    "  tocsin logout",
  ],
  options: {
    offline: {
      type: "boolean",
      about:
        "remove the token from this machine without asking the server; it stays valid until it is revoked",
    },
    json: { type: "boolean", about: 'print {"isForgotten", "isRevoked"}' },
  },
  exits:
    "0 nobody is signed in any more, 1 the file cannot be read or removed, 2 wrong usage, 3 the server refused, 4 no connection to the server, and the file is kept",
} as const satisfies CommandDescription;

/** Describes `tocsin watch`. */
export const WATCH = {
  name: "watch",
  summary: "show notifications as they reach you",
  usage: "[--channel NAME] [--json]",
  about: [
    "Prints a line for each notification that reaches you, until Ctrl-C. After a lost connection, it connects again and first prints what it missed. It uses the access token in TOCSIN_ACCESS_TOKEN, or in the file that TOCSIN_ACCESS_TOKEN_FILE names; otherwise that of tocsin login, which it sends to the server of that login only.",
    "  tocsin watch --json | while read -r line; do play bell.wav; done",
  ],
  options: {
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    channel: { type: "string", value: "NAME", about: "only notifications of this channel" },
    json: {
      type: "boolean",
      about: "print a line of JSON for each notification, as the feed of the app API has it",
    },
  },
  exits:
    "0 ended by Ctrl-C, 1 the login cannot be read, 2 wrong usage, 3 the server refused, for example because the token was revoked, 4 no connection to the server at the start",
} as const satisfies CommandDescription;

/** Describes `tocsin completion`. */
export const COMPLETION = {
  name: "completion",
  summary: "print the completion for a shell",
  usage: "bash|zsh|fish",
  about: [
    "Prints a script with which a shell completes commands, options and their values:",
    [
      '  bash   in ~/.bashrc: eval "$(tocsin completion bash)"',
      '  zsh    in ~/.zshrc, after compinit: eval "$(tocsin completion zsh)"',
      "  fish   tocsin completion fish > ~/.config/fish/completions/tocsin.fish",
    ].join("\n"),
  ],
  options: {},
  exits: "0 printed, 2 wrong usage",
  operand: { kind: "words", words: ["bash", "zsh", "fish"] },
} as const satisfies CommandDescription;
