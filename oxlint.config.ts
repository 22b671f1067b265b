import { defineConfig } from "oxlint";

/** Rooms of the server in the order in which they may import each other: only what stands before. */
const ROOMS = [
  "nodes",
  "accounts",
  "teams",
  "keys",
  "devices",
  "delivery",
  "notifications",
  "administration",
];

/** Folders with no meaning of their own that any room may use. */
const NO_ROOMS = ROOMS.flatMap((room) => [`#${room}/*`, `#${room}/**`]);

type Fence = { readonly message: string } & (
  | { readonly group: readonly string[] }
  | { readonly regex: string }
);

const SQL: Fence = {
  group: ["kysely", "kysely/*", "#database/*"],
  message: "Only store.ts files and database/ know SQL.",
};
const HTTP: Fence = {
  group: ["fastify", "@fastify/*", "#http/*"],
  message: "Only routes.ts, http/, rooms.ts and app.ts know HTTP.",
};
const AUTH: Fence = {
  group: ["better-auth", "better-auth/*", "@better-auth/*"],
  message: "better-auth is imported in accounts/auth-library.ts alone.",
};
const IMPLEMENTATIONS: Fence = {
  group: ["#providers/apns/*", "#providers/fcm/*", "#providers/webpush/*", "#mail/smtp.ts"],
  message: "Only rooms.ts knows implementations; a room knows the port.",
};

const AROUND: Fence = {
  regex: `^\\.\\./(\\.\\./)*(${[...ROOMS, "http", "providers", "database", "mail", "audit"].join("|")})/`,
  message: "`./` and `../` stay in the room; `#room/…` leaves it.",
};

function restrict(fences: readonly Fence[]): Record<string, unknown> {
  return { "no-restricted-imports": ["error", { patterns: [...fences, AROUND] }] };
}

function laterRooms(room: string): Fence {
  const later = ROOMS.slice(ROOMS.indexOf(room) + 1);
  return {
    group: [...later.map((name) => `#${name}/*`), "#app.ts", "#composition/rooms.ts", "#main.ts"],
    message: `${room} imports only the rooms before it: ${ROOMS.join(" < ")}.`,
  };
}

/** The fences of one room; a more exact glob wins over a broader one before it. */
function roomFences(room: string) {
  const order = laterRooms(room);
  const folder = `server/src/${room}`;
  return [
    {
      files: [`${folder}/**/*.ts`],
      rules: restrict([order, SQL, HTTP, AUTH, IMPLEMENTATIONS]),
    },
    // rows.ts says what the columns mean, for stores of one room that share tables.
    {
      files: [`${folder}/**/store.ts`, `${folder}/**/rows.ts`],
      rules: restrict([order, HTTP, AUTH, IMPLEMENTATIONS]),
    },
    { files: [`${folder}/**/routes.ts`], rules: restrict([order, SQL, AUTH, IMPLEMENTATIONS]) },
    ...(room === "accounts"
      ? [{ files: [`${folder}/auth-library.ts`], rules: restrict([order, HTTP, IMPLEMENTATIONS]) }]
      : []),
    // Tests build a real app: they may reach everything.
    { files: [`${folder}/**/*.test.ts`], rules: { "no-restricted-imports": "off" } },
  ];
}

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "node", "promise"],
  jsPlugins: ["./scripts/lint/plugin.ts"],
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["**/node_modules", "**/data", "**/dist", "**/coverage"],
  rules: {
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    // Modules are imported for their effect nowhere but in tests of workers.
    "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }],
    "node/no-process-env": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/await-thenable": "error",
    "typescript/switch-exhaustiveness-check": "error",
    "typescript/consistent-type-imports": "error",
    "oxc/no-barrel-file": "error",
    "no-console": "error",
    "max-lines": ["error", { max: 300 }],
    "max-lines-per-function": ["error", { max: 60 }],
    "max-depth": ["error", 4],
    "no-restricted-properties": [
      "error",
      { object: "Date", property: "now", message: "Time comes from app (`now`)." },
      { object: "crypto", property: "randomUUID", message: "Ids come from app (`newId`)." },
    ],
    // Awaiting in a loop is how ordered work is written here; unordered work uses Promise.all.
    "no-await-in-loop": "off",
    // An assertion carries its reason in a comment; the types at our edges are parsed.
    "typescript/no-unsafe-type-assertion": "off",
    // Fastify awaits its handlers; the rule knows Express alone.
    "oxc/no-async-endpoint-handlers": "off",
    // Worker threads have no origins.
    "unicorn/require-post-message-target-origin": "off",
    // TypeScript checks returns, and knows which switches are exhaustive.
    "consistent-return": "off",
    // The shadowed name is the rule: a transaction's handle is named `db` again.
    "no-shadow": "off",
  },
  overrides: [
    {
      files: ["server/src/**/*.ts"],
      rules: { ...restrict([AUTH]), "tocsin/no-request-spread": "error" },
    },
    {
      // Their bodies and headers are ours, or a push service's; tests spread what they made.
      files: ["server/src/providers/**/*.ts", "server/src/**/*.test.ts"],
      rules: { "tocsin/no-request-spread": "off" },
    },
    {
      files: ["server/src/http/**/*.ts"],
      rules: restrict([AUTH, SQL, { group: NO_ROOMS, message: "http/ imports no room." }]),
    },
    {
      files: ["server/src/providers/**/*.ts"],
      rules: restrict([
        AUTH,
        {
          group: ["#*", "#*/**", "!#native.ts"],
          message: "providers/ imports nothing of ours but native.ts, which knows nothing of it.",
        },
      ]),
    },
    {
      files: ["server/src/database/**/*.ts", "server/src/mail/**/*.ts"],
      rules: restrict([
        AUTH,
        HTTP,
        { group: NO_ROOMS, message: "It serves rooms and imports none." },
      ]),
    },
    {
      files: ["server/src/audit/**/*.ts"],
      rules: restrict([
        AUTH,
        HTTP,
        SQL,
        { group: NO_ROOMS, message: "It serves rooms and imports none." },
      ]),
    },
    {
      files: ["server/src/audit/**/store.ts"],
      rules: restrict([
        AUTH,
        HTTP,
        { group: NO_ROOMS, message: "It serves rooms and imports none." },
      ]),
    },
    {
      files: ["server/src/audit/**/*.test.ts"],
      rules: { "no-restricted-imports": "off" },
    },
    ...ROOMS.flatMap(roomFences),
    {
      files: ["sdk/src/**/*.ts"],
      rules: {
        "no-restricted-imports": [
          "error",
          { patterns: [{ regex: "^[^.]", message: "The SDK depends on nothing." }] },
        ],
        // The package has one door.
        "oxc/no-barrel-file": "off",
      },
    },
    {
      // Tests run on Node alone, against a real local server.
      files: ["sdk/src/**/*.test.ts", "sdk/src/**/*.fixture.ts"],
      rules: { "no-restricted-imports": "off" },
    },
    {
      files: [
        "server/src/config/config.ts",
        "cli/src/environment.ts",
        "action/**",
        "scripts/**",
        "server/test/**",
        "**/*.test.ts",
        "**/*.fixture.ts",
      ],
      rules: { "node/no-process-env": "off" },
    },
    {
      // The clock and the ids of the process are made here.
      files: [
        "server/src/main.ts",
        "server/src/composition/solo-main.ts",
        "scripts/**",
        "server/test/**",
        "server/bench/**",
        "cli/**",
      ],
      rules: { "no-restricted-properties": "off" },
    },
    {
      files: ["action/**", "cli/**", "scripts/**"],
      rules: { "no-console": "off" },
    },
    {
      files: [
        "oxlint.config.ts",
        "scripts/lint/plugin.ts",
        "console/vite.config.ts",
        "docs/.vitepress/config.ts",
        "docs/.vitepress/theme/index.ts",
      ],
      rules: { "import/no-default-export": "off" },
    },
    {
      files: ["console/src/**"],
      rules: {
        // i18next is documented by its default export.
        "import/no-named-as-default-member": "off",
        "no-restricted-imports": [
          "error",
          {
            paths: [
              {
                name: "@mantine/core",
                importNames: [
                  "AppShell",
                  "ColorSchemeScript",
                  "Grid",
                  "SimpleGrid",
                  "useMantineColorScheme",
                ],
                message:
                  "It writes style or script elements, which the policy forbids: use a CSS module, or shell/use-scheme.ts.",
              },
            ],
          },
        ],
      },
    },
    {
      // node:test returns a promise that its runner awaits.
      files: ["**/*.test.ts", "**/*.journey.ts", "server/test/**"],
      rules: {
        // A function stands nearest to the one test that uses it.
        "unicorn/consistent-function-scoping": "off",
        // fast-check and others are documented by their default export.
        "import/no-named-as-default-member": "off",
        "typescript/no-floating-promises": [
          "error",
          {
            allowForKnownSafeCalls: [
              { from: "package", package: "node:test", name: ["test", "suite", "describe", "it"] },
            ],
          },
        ],
      },
    },
  ],
});
