import type { Description } from "../description.ts";

/** `tocsin serve`. */
export const SERVE = {
  name: "serve",
  summary: "run the server",
  usage: "",
  about: [
    "Runs the server until Ctrl-C or SIGTERM. All settings come from the environment, or from a .env file in the working folder:",
    [
      "  TOCSIN_PORT       port to listen on (8080)",
      "  TOCSIN_HOST       address to listen on (127.0.0.1)",
      "  TOCSIN_BASE_URL   public address (http://localhost:8080)",
      "  TOCSIN_DATA_DIR   folder of the database and the server's own secrets (./data)",
    ].join("\n"),
    "docs/configuration.md of the repository names all of them. The first start prints a link that makes the first account, the administrator.",
  ],
  options: {},
  exits: "0 stopped, 1 could not start or go on, 2 wrong usage",
} as const satisfies Description;

/** `tocsin account create`. */
export const ACCOUNT_CREATE = {
  name: "account create",
  summary: "make an account with a first API key",
  usage: "--email EMAIL --name NAME [--admin] [--json]",
  about: [
    "Makes an account with a first API key, straight in the database of TOCSIN_DATA_DIR; the server may run or not. The password is asked for, or read from a pipe:",
    "  tocsin account create --email ann@example.org --name Ann --admin < pw.txt",
  ],
  options: {
    email: { type: "string", value: "EMAIL", about: "address to sign in with" },
    name: { type: "string", value: "NAME", about: "name that other people read" },
    admin: { type: "boolean", about: "the account administers the server" },
    json: { type: "boolean", about: 'print {"accountId", "key"}' },
  },
  notes: ["The key is shown this once."],
  exits: "0 made, 1 not made, 2 wrong usage",
} as const satisfies Description;

const ON_THE_DATABASE =
  "It works on the database, TOCSIN_DATABASE_URL or SQLite in TOCSIN_DATA_DIR, whether the server runs or not.";

/** `tocsin account list`. */
export const ACCOUNT_LIST = {
  name: "account list",
  summary: "list the accounts of the server",
  usage: "[--search TEXT] [--json]",
  about: [
    `Lists the accounts, newest first. ${ON_THE_DATABASE}`,
    "  tocsin account list --search example.org",
  ],
  options: {
    search: { type: "string", value: "TEXT", about: "only with these words in name or address" },
    json: { type: "boolean", about: 'print {"items"}, as the app API lists accounts' },
  },
  exits: "0 shown, 1 not shown, 2 wrong usage",
} as const satisfies Description;

/** `tocsin account reset`. */
export const ACCOUNT_RESET = {
  name: "account reset",
  summary: "make a link to a new password",
  usage: "--email EMAIL [--json]",
  about: [
    `Makes a link with which a person chooses a new password. The link works once, for a day; hand it over yourself, as no mail is sent. It begins with TOCSIN_BASE_URL, so run this with the settings of the server. ${ON_THE_DATABASE}`,
    "  tocsin account reset --email ann@example.org",
  ],
  options: {
    email: { type: "string", value: "EMAIL", about: "address of the account" },
    json: { type: "boolean", about: 'print {"accountId", "link", "expiresAt"}' },
  },
  notes: ["Whoever opens the link first gets the account. The audit log records that it was made."],
  exits: "0 made, 1 not made, 2 wrong usage",
} as const satisfies Description;

/** `tocsin account invite`. */
export const ACCOUNT_INVITE = {
  name: "account invite",
  summary: "make an invitation link",
  usage: "[--email EMAIL] [--json]",
  about: [
    `Makes a link with which one person makes an account. The link works once, for seven days; hand it over yourself, as no mail is sent. It begins with TOCSIN_BASE_URL, so run this with the settings of the server. ${ON_THE_DATABASE}`,
    "  tocsin account invite --email bob@example.org",
  ],
  options: {
    email: { type: "string", value: "EMAIL", about: "only this address can use the link" },
    json: {
      type: "boolean",
      about: 'print {"id", "email", "link", "createdAt", "expiresAt"}',
    },
  },
  notes: [
    "The invitation belongs to the oldest administrator account, and ends with it. The audit log records that it was made.",
  ],
  exits: "0 made, 1 not made, 2 wrong usage",
} as const satisfies Description;

/** `tocsin doctor`. */
export const DOCTOR = {
  name: "doctor",
  summary: "look at what the server needs, and say what to mend",
  usage: "[--json]",
  about: [
    "Looks at what the server needs, with the settings of \"tocsin serve\" and on its machine: base URL, TLS, clock, database, push providers, mail; and whether a device was added to an account by a request of somebody else, which a version before let happen. The server may run or not. Each line says ok, warn or fail, and what to do about it. Nothing is changed, no notification and no mail is sent; Apple's and Google's push services and the mail server are asked whether they take the credentials.",
  ],
  options: {
    json: {
      type: "boolean",
      about:
        'print {"success", "checks": [{"subject", "status", "message", "mend"}]}; a check may have "facts" besides',
    },
  },
  exits: "0 nothing fails, 1 something fails, 2 wrong usage",
} as const satisfies Description;

/** `tocsin device remove`. */
export const DEVICE_REMOVE = {
  name: "device remove",
  summary: "remove devices from their accounts",
  usage: "ID... [--json]",
  about: [
    'Removes devices by their ids, as their owners do in the console, straight in the database: TOCSIN_DATABASE_URL, or SQLite in TOCSIN_DATA_DIR. The server may run or not; what it sends from then on does not reach them. The audit log tells of it. "tocsin doctor --json" names the devices that somebody else\'s request added.',
  ],
  options: { json: { type: "boolean", about: 'print {"success", "removed", "unknown"}' } },
  exits: "0 all are removed, 1 some were not there, or it could not be done, 2 wrong usage",
} as const satisfies Description;

/** `tocsin migrate`. */
export const MIGRATE = {
  name: "migrate",
  summary: "bring the tables of the database to this version",
  usage: "[--json]",
  about: [
    "Brings the tables of the database to this version and prints the steps that were taken. It is TOCSIN_DATABASE_URL, or SQLite in TOCSIN_DATA_DIR; a server does the same at its start. It may run twice at once, and while servers of the version before run on PostgreSQL.",
  ],
  options: { json: { type: "boolean", about: 'print {"steps"}' } },
  exits: "0 the tables are up to date, 1 they are not, 2 wrong usage",
} as const satisfies Description;

/** `tocsin backup`. */
export const BACKUP = {
  name: "backup",
  summary: "copy the database while the server runs",
  usage: "FOLDER [--json]",
  about: [
    "Makes a folder with a copy of the SQLite database in TOCSIN_DATA_DIR, as it is at this moment, and with the server's secrets. The server may run meanwhile. The folder appears when it is whole and checked, and holds a data folder: to restore it, run a server with TOCSIN_DATA_DIR=FOLDER, and with its master key: that is not in it, as it would open what is sealed there. Keep a copy of that key in another place. Where nothing is sealed, keep FOLDER as safe as the data folder itself.",
  ],
  options: {
    json: {
      type: "boolean",
      about:
        'print {"folder", "sizeBytes", "keyId", "isRecorded"}: the id of the master key or null, and whether the audit log tells of it',
    },
  },
  notes: ["On PostgreSQL nothing is made: the command of pg_dump is shown."],
  exits: "0 made, 1 not made, 2 wrong usage",
  operand: { kind: "folder" },
} as const satisfies Description;

/** `tocsin move`. */
export const MOVE = {
  name: "move",
  summary: "move everything from SQLite to PostgreSQL, or back",
  usage: "--from URL --to URL [--resume] [--json]",
  about: [
    "Moves everything of a server, its secrets too, from SQLite to PostgreSQL or back. Stop the server first. The source keeps all it has, but its tables are brought to this version. The master key that the secrets are sealed with is not moved: give it to every server on the target.",
    "  tocsin move --from sqlite:data/tocsin.db --to postgres://tocsin@localhost/tocsin",
  ],
  options: {
    from: {
      type: "string",
      value: "URL",
      about: "sqlite:PATH or postgres://USER@HOST/DATABASE",
    },
    to: { type: "string", value: "URL", about: "the other one; it must be empty" },
    resume: { type: "boolean", about: "go on with a move that was broken off" },
    json: {
      type: "boolean",
      about:
        'print a line of JSON for each batch, {"phase", "table", "rows", "total"}, and one at the end, {"success", "tables": [{"table", "rows", "checksum"}], "keyId"}: the id of the master key or null',
    },
  },
  notes: [
    "A password is read from PGPASSWORD where the URL has none. In the end both are read again and compared, table by table. Until then no server starts on the target.",
  ],
  exits: "0 moved and equal, 1 not moved, 2 wrong usage",
} as const satisfies Description;

/** `tocsin rewrap`. */
export const REWRAP = {
  name: "rewrap",
  summary: "seal the server's secrets with the current master key",
  usage: "[--json]",
  about: [
    "Seals the server's secrets with the master key in TOCSIN_MASTER_KEY or its _FILE; on SQLite without one, with the file master-key in TOCSIN_DATA_DIR, which is made where it is missing. What is sealed with another key must still be readable: give that key in TOCSIN_MASTER_KEY_OLD or its _FILE. It may be broken off and repeated, and servers may run meanwhile. Where nothing is sealed yet, on SQLite the server must be stopped, and on PostgreSQL all nodes must have this version: earlier ones cannot start afterwards. Run it as the user that runs the server.",
  ],
  options: {
    json: {
      type: "boolean",
      about:
        'print a line of JSON for each step, {"phase", "done", "total"}, and one at the end, {"success", "keyId", "secrets", "mails", "mustRestart"}',
    },
  },
  exits: "0 all is sealed with that key, and no other is needed, 1 it is not, 2 wrong usage",
} as const satisfies Description;

/** `tocsin audit export`. */
export const AUDIT_EXPORT = {
  name: "audit export",
  summary: "print what was done on the server, as lines of JSON",
  usage: "[--since TIME] [--until TIME]",
  about: [
    "Prints what was done on the server, by whom and from where: a line of JSON for each event, oldest first. It reads the database, TOCSIN_DATABASE_URL or SQLite in TOCSIN_DATA_DIR, while servers run on it. Events are kept for 365 days, network addresses for 30.",
  ],
  options: {
    since: {
      type: "string",
      value: "TIME",
      about: "events from this time on, such as 7d, 2026-01-31 or 2026-01-31T12:00:00Z",
    },
    until: { type: "string", value: "TIME", about: "events before this time" },
  },
  exits: "0 printed, 1 not printed, 2 wrong usage",
} as const satisfies Description;

/** `tocsin audit verify`. */
export const AUDIT_VERIFY = {
  name: "audit verify",
  summary: "look whether the audit log was changed",
  usage: "[--json]",
  about: [
    "Looks whether the audit log was changed after it was written. A day is sealed an hour after its end, with a digest of its events and of the day before; all of them are computed again. Whoever can write the database can also write all digests anew: compare the last one with what you kept elsewhere. A server writes each to its log when it seals the day.",
  ],
  options: {
    json: {
      type: "boolean",
      about: 'print {"success", "sealedDays", "events", "last": {"day", "digest"}, "faults"}',
    },
  },
  exits: "0 nothing was changed, 1 something was, or it could not be read, 2 wrong usage",
} as const satisfies Description;

/** `tocsin demo`. */
export const DEMO = {
  name: "demo",
  summary: "watch a throw-away server reach simulated phones and a browser",
  usage: "[--json]",
  about: [
    "Starts a throw-away server with an account and three simulated devices: an iPhone behind APNs, an Android phone behind FCM, and a browser. Sends to them, removes the app from the Android phone, sends again, and shows what each step does. Nothing of it stays, and nothing outside this machine is asked.",
  ],
  options: { json: { type: "boolean", about: "print what happened as one JSON document" } },
  exits: "0 all went as it should, 1 it did not, 2 wrong usage",
} as const satisfies Description;
