import type { CommandDescription } from "../description.ts";

/** Describes `tocsin serve`. */
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
    "docs/configuration.md in the repository describes every setting. The first start prints a link: open it to create the first account, which becomes an administrator.",
    "  TOCSIN_BASE_URL=https://push.example.org tocsin serve",
  ],
  options: {},
  exits: "0 stopped, 1 could not start or go on, 2 wrong usage",
} as const satisfies CommandDescription;

/** Describes `tocsin account create`. */
export const ACCOUNT_CREATE = {
  name: "account create",
  summary: "create an account with a first API key",
  usage: "--email EMAIL --name NAME [--admin] [--json]",
  about: [
    "Creates an account with a first API key, directly in the database, whether the server runs or not. On a terminal the command asks for the password; in a script it reads the first line of standard input:",
    "  tocsin account create --email ann@example.org --name Ann --admin < pw.txt",
  ],
  options: {
    email: { type: "string", value: "EMAIL", about: "address to sign in with" },
    name: { type: "string", value: "NAME", about: "name that other people read" },
    admin: { type: "boolean", about: "make the account an administrator" },
    json: { type: "boolean", about: 'print {"accountId", "key"}' },
  },
  notes: ["The key is shown only now."],
  exits: "0 created, 1 not created, 2 wrong usage",
} as const satisfies CommandDescription;

const ON_THE_DATABASE =
  "It works on the database, TOCSIN_DATABASE_URL or SQLite in TOCSIN_DATA_DIR, whether the server runs or not.";

/** Describes `tocsin account list`. */
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
} as const satisfies CommandDescription;

/** Describes `tocsin account reset`. */
export const ACCOUNT_RESET = {
  name: "account reset",
  summary: "create a link for a new password",
  usage: "--email EMAIL [--json]",
  about: [
    `Creates a link with which a person chooses a new password. The link works once, for a day; hand it over yourself, as no email is sent. It begins with TOCSIN_BASE_URL, so run this with the settings of the server. ${ON_THE_DATABASE}`,
    "  tocsin account reset --email ann@example.org",
  ],
  options: {
    email: { type: "string", value: "EMAIL", about: "address of the account" },
    json: { type: "boolean", about: 'print {"accountId", "link", "expiresAt"}' },
  },
  notes: [
    "The first person who opens the link gets the account. The audit log records that the link was created.",
  ],
  exits: "0 created, 1 not created, 2 wrong usage",
} as const satisfies CommandDescription;

/** Describes `tocsin account invite`. */
export const ACCOUNT_INVITE = {
  name: "account invite",
  summary: "create an invitation link",
  usage: "[--email EMAIL] [--json]",
  about: [
    `Creates a link with which one person creates an account. The link works once, for seven days; hand it over yourself, as no email is sent. It begins with TOCSIN_BASE_URL, so run this with the settings of the server. ${ON_THE_DATABASE}`,
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
    "The invitation belongs to the oldest administrator account, and is deleted with it. The audit log records that the link was created.",
  ],
  exits: "0 created, 1 not created, 2 wrong usage",
} as const satisfies CommandDescription;

/** Describes `tocsin doctor`. */
export const DOCTOR = {
  name: "doctor",
  summary: "check what the server needs, and say how to fix it",
  usage: "[--json]",
  about: [
    "Checks what the server needs: base URL, TLS, clock, database, push providers and email. It also looks for devices that somebody else's request added to an account, which an earlier version allowed. Run it on the server's machine with the settings of \"tocsin serve\"; the server may run meanwhile. Each line says ok, warn or fail, and how to fix the problem. The command changes nothing and sends no notification and no email; it asks Apple, Google and the mail server whether they accept the credentials.",
    "  tocsin doctor --json | jq '.checks[] | select(.status == \"fail\")'",
  ],
  options: {
    json: {
      type: "boolean",
      about:
        'print {"success", "checks": [{"subject", "status", "message", "mend"}]}; a check may also have "facts"',
    },
  },
  exits: "0 nothing fails, 1 something fails, 2 wrong usage",
} as const satisfies CommandDescription;

/** Describes `tocsin device remove`. */
export const DEVICE_REMOVE = {
  name: "device remove",
  summary: "remove devices from their accounts",
  usage: "ID... [--json]",
  about: [
    `Removes devices from their accounts, as their owners can in the console. Nothing that is sent afterwards reaches them, and the audit log records it. "tocsin doctor --json" prints the ids of devices that somebody else's request added. ${ON_THE_DATABASE}`,
    "  tocsin device remove 019a8f5e-2c41-7d03-9f6e-5b1c0d7a4e22",
  ],
  options: { json: { type: "boolean", about: 'print {"success", "removed", "unknown"}' } },
  exits: "0 all are removed, 1 some do not exist, or the database cannot be used, 2 wrong usage",
} as const satisfies CommandDescription;

/** Describes `tocsin migrate`. */
export const MIGRATE = {
  name: "migrate",
  summary: "upgrade the tables of the database to this version",
  usage: "[--json]",
  about: [
    "Upgrades the tables of the database, TOCSIN_DATABASE_URL or SQLite in TOCSIN_DATA_DIR, to this version, and prints each step. A server does the same when it starts. Running it twice at once is safe. On PostgreSQL, servers of the previous version may run meanwhile.",
    "  tocsin migrate",
  ],
  options: { json: { type: "boolean", about: 'print {"steps"}' } },
  exits: "0 the tables are up to date, 1 they are not, 2 wrong usage",
} as const satisfies CommandDescription;

/** Describes `tocsin backup`. */
export const BACKUP = {
  name: "backup",
  summary: "copy the database while the server runs",
  usage: "FOLDER [--json]",
  about: [
    "Copies the SQLite database in TOCSIN_DATA_DIR and the server's secrets into a new folder. The server may run meanwhile. The folder appears once the copy is complete and checked. It does not hold the master key, which opens the sealed secrets: keep a copy of that key in another place. Without a master key nothing is sealed, so keep the folder as safe as the data folder.",
    "To restore, run a server with TOCSIN_DATA_DIR=FOLDER and with the same master key.",
    "  tocsin backup /var/backups/tocsin-today",
  ],
  options: {
    json: {
      type: "boolean",
      about:
        'print {"folder", "sizeBytes", "keyId", "isRecorded"}; "keyId" is the id of the master key or null, "isRecorded" whether the audit log has it',
    },
  },
  notes: ["On PostgreSQL the command makes no backup: it shows how to call pg_dump."],
  exits: "0 made, 1 not made, 2 wrong usage",
  operand: { kind: "folder" },
} as const satisfies CommandDescription;

/** Describes `tocsin move`. */
export const MOVE = {
  name: "move",
  summary: "move everything from SQLite to PostgreSQL, or back",
  usage: "--from URL --to URL [--resume] [--json]",
  about: [
    "Copies all data of a server and its secrets from SQLite to PostgreSQL, or back. Stop the server first. The source keeps its data; only its tables are upgraded to this version. The master key, which seals the secrets, is not copied: give it to every server on the target.",
    "  tocsin move --from sqlite:data/tocsin.db --to postgres://tocsin@localhost/tocsin",
  ],
  options: {
    from: {
      type: "string",
      value: "URL",
      about: "sqlite:PATH or postgres://USER@HOST/DATABASE",
    },
    to: { type: "string", value: "URL", about: "the other one; it must be empty" },
    resume: { type: "boolean", about: "continue a move that was interrupted" },
    json: {
      type: "boolean",
      about:
        'print a line of JSON for each batch, {"phase", "table", "rows", "total"}, and one at the end, {"success", "tables": [{"table", "rows", "checksum"}], "keyId"}: the id of the master key or null',
    },
  },
  notes: [
    "If the URL has no password, PGPASSWORD is used. At the end the command reads both databases again and compares them, table by table. No server starts on the target before that.",
  ],
  exits: "0 moved, and both are equal, 1 not moved, 2 wrong usage",
} as const satisfies CommandDescription;

/** Describes `tocsin rewrap`. */
export const REWRAP = {
  name: "rewrap",
  summary: "seal the server's secrets with the current master key",
  usage: "[--json]",
  about: [
    "Seals the server's secrets with the current master key: that in TOCSIN_MASTER_KEY or its _FILE, or on SQLite the file master-key in TOCSIN_DATA_DIR, which the command creates if it is missing. To change the key, give the previous one in TOCSIN_MASTER_KEY_OLD or its _FILE. The command can be interrupted and repeated, and servers may run meanwhile.",
    "The first sealing needs more care. On SQLite, stop the server. On PostgreSQL, upgrade all nodes first, because earlier versions cannot start afterwards. Run the command as the user that runs the server.",
    "  TOCSIN_MASTER_KEY_OLD_FILE=/etc/tocsin/old-key tocsin rewrap",
  ],
  options: {
    json: {
      type: "boolean",
      about:
        'print a line of JSON for each step, {"phase", "done", "total"}, and one at the end, {"success", "keyId", "secrets", "mails", "callbackSecrets", "mustRestart"}',
    },
  },
  exits:
    "0 all secrets are sealed with that key, and no other is needed, 1 they are not, 2 wrong usage",
} as const satisfies CommandDescription;

/** Describes `tocsin audit export`. */
export const AUDIT_EXPORT = {
  name: "audit export",
  summary: "print the audit log as lines of JSON",
  usage: "[--since TIME] [--until TIME]",
  about: [
    "Prints who did what on the server, and from where: a line of JSON for each event, oldest first. It reads the database, TOCSIN_DATABASE_URL or SQLite in TOCSIN_DATA_DIR; servers may run meanwhile. Events are kept for 365 days, network addresses for 30 days.",
    "  tocsin audit export --since 7d",
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
} as const satisfies CommandDescription;

/** Describes `tocsin audit verify`. */
export const AUDIT_VERIFY = {
  name: "audit verify",
  summary: "check whether the audit log was changed",
  usage: "[--log FILE] [--json]",
  about: [
    "Checks whether the audit log was changed after it was written. An hour after the end of a day, the server seals it with a digest of the day's events and of the day before; this command computes all digests again. Alone, that proves nothing against an attacker who can write the database: they can compute all digests again too.",
    "So keep the server's log elsewhere, and give it with --log: the server writes each digest there as it seals, and the command compares them. A line for a day vouches for all days before it.",
    "  tocsin audit verify --log /var/log/tocsin.log",
  ],
  options: {
    log: {
      type: "string",
      value: "FILE",
      about: "lines of the server's log, as it wrote them or as a collector wrapped them",
    },
    json: {
      type: "boolean",
      about:
        'print {"success", "sealedDays", "events", "last": {"day", "digest"}, "witnessedUntil", "faults"}',
    },
  },
  exits: "0 nothing was changed, 1 something was changed, or the log cannot be read, 2 wrong usage",
} as const satisfies CommandDescription;

/** Describes `tocsin demo`. */
export const DEMO = {
  name: "demo",
  summary: "try it: a throw-away server with simulated devices",
  usage: "[--json]",
  about: [
    "Starts a throw-away server with an account and three simulated devices: an iPhone behind APNs, an Android phone behind FCM, and a browser. The demo sends to them, removes the app from the Android phone, sends again, and explains each step. It leaves nothing behind, and nothing leaves this machine.",
    "  tocsin demo",
  ],
  options: { json: { type: "boolean", about: "print what happened as one JSON document" } },
  exits: "0 the demo worked, 1 it did not, 2 wrong usage",
} as const satisfies CommandDescription;
