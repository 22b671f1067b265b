/** An option of every command that sends a secret to a server. */
export const ALLOW_HTTP = {
  type: "boolean",
  about: "use http: to another machine; everybody on the network path can read it",
} as const;

/** An option of every command that sends. */
export const API_KEY = {
  type: "string",
  value: "KEY",
  about:
    "API key; other users of this machine can read arguments, so prefer TOCSIN_API_KEY, or TOCSIN_API_KEY_FILE for a file that holds it",
} as const;

/** The description of `--url` for commands that do not need a login. */
export const SERVER_URL_ABOUT =
  "URL of the server; by default TOCSIN_URL, or else http://localhost:8080";

/** An option of every command that acts as the signed-in account. */
export const SIGNED_IN_URL = {
  type: "string",
  value: "URL",
  about:
    "URL of the server; by default TOCSIN_URL, or else that of the stored login, or http://localhost:8080 with TOCSIN_ACCESS_TOKEN",
} as const;
