/** Rooms of the server in import order: a room may import only the rooms before it. */
const ROOMS = [
  "nodes",
  "timers",
  "accounts",
  "teams",
  "keys",
  "devices",
  "delivery",
  "notifications",
  "incidents",
  "prompts",
  "administration",
];

/**
 * Rooms, folders and files that a room may not import although they come before it: composition passes it the functions
 * that it needs, or the room declares an interface.
 */
const HANDED_IN: Readonly<Record<string, readonly string[]>> = {
  nodes: ["#errors.ts"],
  timers: ["#nodes/*", "#errors.ts"],
  accounts: ["#nodes/*", "#secrets/*"],
  keys: ["#nodes/*"],
  devices: ["#token.ts"],
  delivery: ["#nodes/*"],
  notifications: ["#nodes/*", "#accounts/*", "#audit/*", "#providers/*"],
  incidents: ["#nodes/*", "#accounts/*", "#providers/*"],
  prompts: ["#nodes/*", "#accounts/*", "#providers/*"],
  administration: ["#keys/*", "#mail/*", "#providers/*", "#teams/*"],
};

/** Patterns for all rooms, which folders without domain meaning may not import. */
const ALL_ROOMS = ROOMS.flatMap((room) => [`#${room}/*`, `#${room}/**`]);

/** Imports that are forbidden, with the reason. */
type Fence = { readonly message: string } & (
  | { readonly group: readonly string[] }
  | { readonly regex: string }
);

const SQL: Fence = {
  group: ["kysely", "kysely/*", "#database/*"],
  message: "Only store.ts, the files of store/ and database/ know SQL.",
};
const HTTP: Fence = {
  group: ["fastify", "@fastify/*", "#http/*"],
  message: "Only routes.ts, http/, composition/ and app.ts know HTTP.",
};
const IMPLEMENTATIONS: Fence = {
  group: ["#providers/*/*", "#mail/smtp.ts"],
  message: "Only composition/ knows implementations; a room knows the port.",
};

const AUDIT: Fence = {
  group: [...ALL_ROOMS, "#concurrency/*"],
  message: "audit/ serves rooms and imports none; its caller decides how often it runs.",
};

/** The folders of the server that are not rooms. */
const FOLDERS = [
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
  "process",
  "doctor",
  "operator",
  "composition",
];

const RELATIVE_ESCAPE: Fence = {
  regex: `^\\.\\./(\\.\\./)*(${[...ROOMS, ...FOLDERS].join("|")})/`,
  message: "`./` and `../` stay in the room; `#room/…` leaves it.",
};

/** Folders and files that combine rooms or work on all of them. */
const MODULES_ABOVE_ROOMS = ["#composition/*", "#operator/*", "#process/*", "#app.ts", "#main.ts"];

function restrictImports(fences: readonly Fence[]): Record<string, unknown> {
  return { "no-restricted-imports": ["error", { patterns: [...fences, RELATIVE_ESCAPE] }] };
}

function forbidLaterRooms(room: string): Fence {
  const laterRoomNames = ROOMS.slice(ROOMS.indexOf(room) + 1);
  return {
    group: [...laterRoomNames.map((name) => `#${name}/*`), ...MODULES_ABOVE_ROOMS],
    message: `${room} imports only the rooms before it: ${ROOMS.join(" < ")}.`,
  };
}

function forbidHandedIn(room: string): readonly Fence[] {
  const group = HANDED_IN[room];
  return group === undefined
    ? []
    : [
        {
          group,
          message: `${room} may not import these: composition/ passes it the functions that it needs.`,
        },
      ];
}

/** Folders of the server that are not rooms, with the imports that are forbidden in each. */
const AROUND_ROOMS: readonly (readonly [string, readonly Fence[]])[] = [
  [
    "schema",
    [{ group: ["#*", "#*/**", "fastify"], message: "schema/ imports nothing of Tocsin." }],
  ],
  [
    "content",
    [
      HTTP,
      {
        group: ["#*", "#*/**", "kysely", "!#schema/*", "!#errors.ts", "!#database/schema.ts"],
        message: "content/ knows schemas, errors and the names of columns.",
      },
    ],
  ],
  ["concurrency", [{ group: ["#*", "#*/**"], message: "concurrency/ imports nothing of Tocsin." }]],
  [
    "secrets",
    [
      HTTP,
      {
        group: [
          ...ALL_ROOMS,
          ...MODULES_ABOVE_ROOMS,
          "#config/*",
          "#doctor/*",
          "#mail/*",
          "#audit/*",
          "#providers/*",
        ],
        message: "secrets/ serves all others, and imports only the database.",
      },
    ],
  ],
  [
    "config",
    [
      HTTP,
      {
        group: [...ALL_ROOMS, ...MODULES_ABOVE_ROOMS, "#doctor/*", "#mail/*", "#audit/*"],
        message: "config/ reads the environment, and imports nothing that uses the configuration.",
      },
    ],
  ],
  [
    "process",
    [
      HTTP,
      {
        group: [
          ...ALL_ROOMS,
          ...MODULES_ABOVE_ROOMS.filter((name) => name !== "#process/*"),
          "#doctor/*",
          "#mail/*",
          "#audit/*",
        ],
        message: "process/ deals only with the process.",
      },
    ],
  ],
  [
    "doctor",
    [
      HTTP,
      {
        group: MODULES_ABOVE_ROOMS.filter((name) => name !== "#process/*"),
        message: "doctor/ only inspects; it starts nothing.",
      },
    ],
  ],
  [
    "operator",
    [
      HTTP,
      {
        group: ["#composition/*", "#main.ts", "#ids.ts", "#schema/*"],
        message:
          "operator/ needs no server, or starts a whole one with app.ts; rooms define responses.",
      },
    ],
  ],
  [
    "composition",
    [
      {
        group: ["kysely", "kysely/*", "#app.ts", "#main.ts", "#ids.ts", "#schema/*"],
        message:
          "composition/ puts parts together; it queries no database and defines no response.",
      },
    ],
  ],
];

/** Returns the fences of one room; a later, narrower glob overrides an earlier, broader one. */
function createRoomFences(room: string) {
  const common = [forbidLaterRooms(room), ...forbidHandedIn(room)];
  const folder = `server/src/${room}`;
  return [
    {
      files: [`${folder}/**/*.ts`],
      rules: restrictImports([...common, SQL, HTTP, IMPLEMENTATIONS]),
    },
    // rows.ts defines the meaning of columns for stores of one room that share tables.
    {
      files: [`${folder}/**/store.ts`, `${folder}/**/store/*.ts`, `${folder}/**/rows.ts`],
      rules: restrictImports([...common, HTTP, IMPLEMENTATIONS]),
    },
    {
      files: [`${folder}/**/routes.ts`],
      rules: restrictImports([...common, SQL, IMPLEMENTATIONS]),
    },
    // Tests build a real app, so they may import everything.
    { files: [`${folder}/**/*.test.ts`], rules: { "no-restricted-imports": "off" } },
  ];
}

/** Fences between the server's folders, as overrides of the linter; a later override wins over an earlier one. */
export const FENCES = [
  { files: ["server/src/**/*.ts"], rules: restrictImports([]) },
  {
    files: ["server/src/http/**/*.ts"],
    rules: restrictImports([
      SQL,
      {
        group: [...ALL_ROOMS, "#token.ts"],
        message: "http/ imports no room, and issues no token.",
      },
    ]),
  },
  {
    files: ["server/src/providers/**/*.ts"],
    rules: restrictImports([
      {
        group: ["#*", "#*/**", "!#concurrency/*", "!#process/native.ts"],
        message:
          "providers/ imports only concurrency/ and native.ts, which know nothing of Tocsin.",
      },
    ]),
  },
  {
    files: ["server/src/providers/**/*.test.ts"],
    rules: { "no-restricted-imports": "off" },
  },
  {
    files: ["server/src/{database,mail,callbacks}/**/*.ts"],
    rules: restrictImports([
      HTTP,
      { group: ALL_ROOMS, message: "It serves rooms and imports none." },
    ]),
  },
  {
    files: ["server/src/audit/**/*.ts"],
    rules: restrictImports([HTTP, SQL, AUDIT]),
  },
  {
    files: ["server/src/audit/**/store.ts", "server/src/audit/**/store/*.ts"],
    rules: restrictImports([HTTP, AUDIT]),
  },
  { files: ["server/src/audit/**/*.test.ts"], rules: { "no-restricted-imports": "off" } },
  {
    files: ["server/src/{context,errors,ids,token}.ts"],
    rules: restrictImports([
      HTTP,
      {
        group: [...ALL_ROOMS, ...MODULES_ABOVE_ROOMS],
        message: "It serves rooms and imports none.",
      },
    ]),
  },
  {
    files: ["server/src/app.ts"],
    rules: restrictImports([
      {
        group: ["#*", "#*/**", "kysely", "!#composition/*", "!#http/*", "!#context.ts"],
        message: "app.ts starts and stops what composition/ builds.",
      },
    ]),
  },
  ...AROUND_ROOMS.flatMap(([folder, fences]) => [
    { files: [`server/src/${folder}/**/*.ts`], rules: restrictImports(fences) },
    {
      files: [`server/src/${folder}/**/*.test.ts`],
      rules: { "no-restricted-imports": "off" },
    },
  ]),
  ...ROOMS.flatMap(createRoomFences),
];
