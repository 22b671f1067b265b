import type { CommandDescription } from "../description.ts";
import { ALLOW_HTTP, SERVER_URL_ABOUT, SIGNED_IN_URL } from "./shared.ts";

/** Describes `tocsin login`. */
export const LOGIN = {
  name: "login",
  summary: "sign in, for watch, incident, log, devices, keys and key",
  usage: "[--url URL] [--email EMAIL] [options]",
  about: [
    "Signs in with email address and password, and with a code where two-factor sign-in is on. The server creates an access token, which is kept in a file that nobody else can read: login.json in $XDG_CONFIG_HOME/tocsin, or in ~/.config/tocsin. The password is not kept. A new login replaces the previous one and revokes its token.",
    "On a terminal, the command asks for what is missing. In a script, give --email and --password-stdin: the first line of standard input is the password, and the second line a two-factor code if the account needs one. An account without a password signs in with an access token from the console:",
    "  tocsin login --url https://push.example.org --token-stdin < token.txt",
  ],
  options: {
    url: { type: "string", value: "URL", about: SERVER_URL_ABOUT },
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
    "0 signed in, 1 the file cannot be written, 2 wrong usage, 3 the server refused, 4 the server did not answer",
} as const satisfies CommandDescription;

/** Describes `tocsin logout`. */
export const LOGOUT = {
  name: "logout",
  summary: "sign out: revoke the access token and remove it",
  usage: "[--offline] [--json]",
  about: [
    "Revokes the access token that tocsin login created, and removes the file that holds it. A token that was given to --token-stdin is removed from this machine only: revoke it in the console, where it was created.",
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
    "0 signed out or nobody was signed in, 1 the file cannot be read or removed, 2 wrong usage, 3 the server refused, 4 the server did not answer, and the file is kept",
} as const satisfies CommandDescription;

/** Describes `tocsin watch`. */
export const WATCH = {
  name: "watch",
  summary: "show notifications as they reach you",
  usage: "[--channel NAME] [--json]",
  about: [
    "Prints a line for each notification that reaches you, until Ctrl-C. After a lost connection, it connects again and first prints what it missed. It uses the access token in TOCSIN_ACCESS_TOKEN, or in the file that TOCSIN_ACCESS_TOKEN_FILE names; otherwise that of tocsin login, which it sends to the server of that login only.",
    "On a terminal, the key a acknowledges the incident of the newest line that is marked as triggered or expired, and says who has it.",
    "  tocsin watch --json | while read -r line; do play bell.wav; done",
  ],
  options: {
    url: SIGNED_IN_URL,
    "allow-http": ALLOW_HTTP,
    channel: { type: "string", value: "NAME", about: "only notifications of this channel" },
    json: {
      type: "boolean",
      about: "print a line of JSON for each notification, in the form of the app API's feed",
    },
  },
  exits:
    "0 ended by Ctrl-C, 1 the login cannot be read, 2 wrong usage, 3 the server refused, for example because the token was revoked, 4 the server did not answer at the start",
} as const satisfies CommandDescription;
