import { SOUNDS } from "@tocsin/sdk";
import type { Description } from "../description.ts";
import { ALLOW_HTTP, SIGNED_IN_URL } from "./shared.ts";

const URL_ABOUT = "server; else TOCSIN_URL, else http://localhost:8080";

/** `tocsin send`. */
export const SEND = {
  name: "send",
  summary: "send a notification",
  usage: "TITLE [BODY] [options]",
  about: [
    "Sends a notification to every device of the API key's account or team, and tells what came of it on each. Without BODY, or with -, a pipe gives it:",
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
    channel: {
      type: "string",
      value: "NAME",
      about: 'letters, digits and hyphens; "feed" when not given',
    },
    sound: {
      type: "string",
      value: "NAME",
      about:
        "such as default, arcade, doorbell; a wrong one lists them all; browsers play it while a page of Tocsin is open",
      values: SOUNDS,
    },
    link: {
      type: "string",
      value: "URL",
      about: "what a tap opens; in Safari, from the notification's page",
    },
    image: { type: "string", value: "URL", about: "picture to show" },
    "time-sensitive": {
      type: "boolean",
      about: "break through do-not-disturb, in native iPhone apps",
    },
    ttl: {
      type: "string",
      value: "SECONDS",
      about: "send nothing after this time; 86400 when not given",
    },
    group: {
      type: "string",
      value: "ID",
      about: "only the devices of this group; needs an account key",
    },
    async: { type: "boolean", about: "do not wait for results" },
    wait: {
      type: "boolean",
      about: "wait until every device has its final outcome; the key alone is enough",
    },
    timeout: {
      type: "string",
      value: "SECONDS",
      about: "with --wait: wait no longer, 1 to 43200; 300 when not given",
    },
    "idempotency-key": {
      type: "string",
      value: "TEXT",
      about: "a repetition with the same text within 24 h sends nothing again",
    },
    json: {
      type: "boolean",
      about: 'print the server\'s answer, with "notificationId", and with --wait "isComplete"',
    },
  },
  notes: [
    "Put -- before a TITLE that begins with a hyphen. An access token of tocsin login is never used to send.",
  ],
  exits:
    "0 accepted, or with --wait at least one device was reached; 1 no device was reached, or with --wait none in time; 2 wrong usage; 3 the server refused; 4 no connection to the server",
} as const satisfies Description;

/** `tocsin login`. */
export const LOGIN = {
  name: "login",
  summary: "sign in at a server, for tocsin watch",
  usage: "[--url URL] [--email EMAIL] [options]",
  about: [
    "Signs in with e-mail address and password, and with a code where two-factor sign-in is on. Has the server make an access token, and keeps it in a file that nobody else can read: login.json in $XDG_CONFIG_HOME/tocsin, else in ~/.config/tocsin. The password is not kept. An earlier login is replaced, and its token revoked.",
    "On a terminal, what is missing is asked for. In a script, standard input gives it: the password in the first line, a code in the second if one is needed. A token made in the console works for every account, those without a password too:",
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
} as const satisfies Description;

/** `tocsin logout`. */
export const LOGOUT = {
  name: "logout",
  summary: "revoke the access token of tocsin login, and forget it",
  usage: "[--offline] [--json]",
  about: [
    "Has the server revoke the access token that tocsin login made, and removes the file that holds it. A token that was given to --token-stdin is only forgotten: revoke it in the console, where it was made.",
  ],
  options: {
    offline: {
      type: "boolean",
      about: "forget the token without asking the server; it stays valid until it is revoked",
    },
    json: { type: "boolean", about: 'print {"isForgotten", "isRevoked"}' },
  },
  exits:
    "0 nobody is signed in any more, 1 the file cannot be read or removed, 2 wrong usage, 3 the server refused, 4 no connection to the server, and the file is kept",
} as const satisfies Description;

/** `tocsin watch`. */
export const WATCH = {
  name: "watch",
  summary: "show notifications as they reach you",
  usage: "[--channel NAME] [--json]",
  about: [
    "Prints a line for each notification that reaches the person who is signed in, until Ctrl-C. A lost connection is taken up again where it was lost. The access token is that of TOCSIN_ACCESS_TOKEN, or of the file that TOCSIN_ACCESS_TOKEN_FILE names, else that of tocsin login, which is sent to no other server than its own.",
    "  tocsin watch --json | while read -r line; do play bell.wav; done",
  ],
  options: {
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    channel: { type: "string", value: "NAME", about: "only notifications of this channel" },
    json: {
      type: "boolean",
      about: "print a line of JSON for each: what the feed of the app API has of it",
    },
  },
  exits:
    "0 ended by Ctrl-C, 1 the login cannot be read, 2 wrong usage, 3 the server refused, as it does once the token is revoked, 4 no connection to the server at the start",
} as const satisfies Description;

/** `tocsin completion`. */
export const COMPLETION = {
  name: "completion",
  summary: "print the completion for a shell",
  usage: "bash|zsh|fish",
  about: [
    "Prints a script that makes a shell complete commands, options and their values:",
    [
      '  bash   in ~/.bashrc: eval "$(tocsin completion bash)"',
      '  zsh    in ~/.zshrc, after compinit: eval "$(tocsin completion zsh)"',
      "  fish   tocsin completion fish > ~/.config/fish/completions/tocsin.fish",
    ].join("\n"),
  ],
  options: {},
  exits: "0 printed, 2 wrong usage",
  operand: { kind: "words", words: ["bash", "zsh", "fish"] },
} as const satisfies Description;
