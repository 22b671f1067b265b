/** Rooms of the server in import order: a room may import only the rooms before it. */
export const ROOMS = [
  "nodes",
  "timers",
  "accounts",
  "teams",
  "keys",
  "devices",
  "delivery",
  "apps",
  "notifications",
  "incidents",
  "prompts",
  "administration",
];

/** Patterns for all rooms, which folders without domain meaning may not import. */
export const ALL_ROOMS = ROOMS.flatMap((room) => [`#${room}/*`, `#${room}/**`]);

/** Imports that are forbidden, with the reason. */
export type Fence = { readonly message: string } & (
  | { readonly group: readonly string[] }
  | { readonly regex: string }
);

/** Forbids SQL. */
export const SQL: Fence = {
  group: ["kysely", "kysely/*", "#database/*"],
  message: "Only store.ts, the files of store/ and database/ know SQL.",
};
/** Forbids HTTP. */
export const HTTP: Fence = {
  group: ["fastify", "@fastify/*", "#http/*"],
  message: "Only routes.ts, http/, composition/ and app.ts know HTTP.",
};
/** Forbids implementations of ports. */
export const IMPLEMENTATIONS: Fence = {
  group: ["#providers/*/*", "#mail/smtp.ts"],
  message: "Only composition/ knows implementations; a room knows the port.",
};

/** The folders of the server that are not rooms. */
export const FOLDERS = [
  "http",
  "providers",
  "database",
  "mail",
  "callbacks",
  "audit",
  "config",
  "secrets",
  "schema",
  "content",
  "concurrency",
  "dialects",
  "process",
  "doctor",
  "operator",
  "composition",
];

/** Folders and files that combine rooms or work on all of them. */
export const MODULES_ABOVE_ROOMS = [
  "#dialects/*",
  "#composition/*",
  "#operator/*",
  "#process/*",
  "#app.ts",
  "#main.ts",
];
