/** Rooms of the server in import order: a room may import only the rooms before it. */
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

/**
 * Rooms, folders and files that come before a room and that it still may not import: composition hands in the functions it
 * needs, or the room declares an interface.
 */
const HANDED_IN: Readonly<Record<string, readonly string[]>> = {
  nodes: ["#errors.ts"],
  accounts: ["#nodes/*", "#secrets/*"],
  keys: ["#nodes/*"],
  devices: ["#token.ts"],
  delivery: ["#nodes/*"],
  notifications: ["#nodes/*", "#accounts/*", "#audit/*", "#providers/*"],
  administration: ["#keys/*", "#mail/*", "#providers/*", "#teams/*"],
};

/** Patterns for all rooms, which folders without domain meaning may not import. */
const ALL_ROOMS = ROOMS.flatMap((room) => [`#${room}/*`, `#${room}/**`]);

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
const ABOVE = ["#composition/*", "#operator/*", "#process/*", "#app.ts", "#main.ts"];

function restrict(fences: readonly Fence[]): Record<string, unknown> {
  return { "no-restricted-imports": ["error", { patterns: [...fences, RELATIVE_ESCAPE] }] };
}

function laterRooms(room: string): Fence {
  const later = ROOMS.slice(ROOMS.indexOf(room) + 1);
  return {
    group: [...later.map((name) => `#${name}/*`), ...ABOVE],
    message: `${room} imports only the rooms before it: ${ROOMS.join(" < ")}.`,
  };
}

function handedIn(room: string): readonly Fence[] {
  const group = HANDED_IN[room];
  return group === undefined ? [] : [{ group, message: `${room} is handed what it needs of it.` }];
}

/** Folders of the server that are not rooms, with the imports that are forbidden in each. */
const AROUND_ROOMS: readonly (readonly [string, readonly Fence[]])[] = [
  ["schema", [{ group: ["#*", "#*/**", "fastify"], message: "schema/ imports nothing of ours." }]],
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
  ["concurrency", [{ group: ["#*", "#*/**"], message: "concurrency/ imports nothing of ours." }]],
  [
    "secrets",
    [
      HTTP,
      {
        group: [
          ...ALL_ROOMS,
          ...ABOVE,
          "#config/*",
          "#doctor/*",
          "#mail/*",
          "#audit/*",
          "#providers/*",
        ],
        message: "secrets/ serves all others: it knows the database alone.",
      },
    ],
  ],
  [
    "config",
    [
      HTTP,
      {
        group: [...ALL_ROOMS, ...ABOVE, "#doctor/*", "#mail/*", "#audit/*"],
        message: "config/ reads the environment; what reads its answer is no concern of it.",
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
          ...ABOVE.filter((name) => name !== "#process/*"),
          "#doctor/*",
          "#mail/*",
          "#audit/*",
        ],
        message: "process/ is about the process alone.",
      },
    ],
  ],
  [
    "doctor",
    [
      HTTP,
      {
        group: ABOVE.filter((name) => name !== "#process/*"),
        message: "doctor/ looks; it starts nothing.",
      },
    ],
  ],
  [
    "operator",
    [
      HTTP,
      {
        group: ["#composition/*", "#main.ts", "#ids.ts", "#schema/*"],
        message: "operator/ needs no server, or starts a whole one by app.ts; rooms make answers.",
      },
    ],
  ],
  [
    "composition",
    [
      {
        group: ["kysely", "kysely/*", "#app.ts", "#main.ts", "#ids.ts", "#schema/*"],
        message: "composition/ puts parts together; it asks no database and describes no answer.",
      },
    ],
  ],
];

/** Returns the fences of one room; a later, narrower glob overrides an earlier, broader one. */
function roomFences(room: string) {
  const common = [laterRooms(room), ...handedIn(room)];
  const folder = `server/src/${room}`;
  return [
    {
      files: [`${folder}/**/*.ts`],
      rules: restrict([...common, SQL, HTTP, IMPLEMENTATIONS]),
    },
    // rows.ts defines the meaning of columns for stores of one room that share tables.
    {
      files: [`${folder}/**/store.ts`, `${folder}/**/store/*.ts`, `${folder}/**/rows.ts`],
      rules: restrict([...common, HTTP, IMPLEMENTATIONS]),
    },
    { files: [`${folder}/**/routes.ts`], rules: restrict([...common, SQL, IMPLEMENTATIONS]) },
    // Tests build a real app, so they may import everything.
    { files: [`${folder}/**/*.test.ts`], rules: { "no-restricted-imports": "off" } },
  ];
}

/** Fences between the server's folders, as overrides of the linter; a later override wins over an earlier one. */
export const FENCES = [
  { files: ["server/src/**/*.ts"], rules: restrict([]) },
  {
    files: ["server/src/http/**/*.ts"],
    rules: restrict([
      SQL,
      {
        group: [...ALL_ROOMS, "#token.ts"],
        message: "http/ imports no room, and issues no token.",
      },
    ]),
  },
  {
    files: ["server/src/providers/**/*.ts"],
    rules: restrict([
      {
        group: ["#*", "#*/**", "!#concurrency/*", "!#process/native.ts"],
        message: "providers/ imports only what knows nothing of ours: concurrency/, native.ts.",
      },
    ]),
  },
  {
    files: ["server/src/providers/**/*.test.ts"],
    rules: { "no-restricted-imports": "off" },
  },
  {
    files: ["server/src/database/**/*.ts", "server/src/mail/**/*.ts"],
    rules: restrict([HTTP, { group: ALL_ROOMS, message: "It serves rooms and imports none." }]),
  },
  {
    files: ["server/src/audit/**/*.ts"],
    rules: restrict([HTTP, SQL, AUDIT]),
  },
  {
    files: ["server/src/audit/**/store.ts", "server/src/audit/**/store/*.ts"],
    rules: restrict([HTTP, AUDIT]),
  },
  {
    files: ["server/src/audit/**/*.test.ts"],
    rules: { "no-restricted-imports": "off" },
  },
  {
    files: ["server/src/{context,errors,ids,token}.ts"],
    rules: restrict([
      HTTP,
      { group: [...ALL_ROOMS, ...ABOVE], message: "It serves rooms and imports none." },
    ]),
  },
  {
    files: ["server/src/app.ts"],
    rules: restrict([
      {
        group: ["#*", "#*/**", "kysely", "!#composition/*", "!#http/*", "!#context.ts"],
        message: "app.ts starts and stops what composition/ builds.",
      },
    ]),
  },
  ...AROUND_ROOMS.flatMap(([folder, fences]) => [
    { files: [`server/src/${folder}/**/*.ts`], rules: restrict(fences) },
    {
      files: [`server/src/${folder}/**/*.test.ts`],
      rules: { "no-restricted-imports": "off" },
    },
  ]),
  ...ROOMS.flatMap(roomFences),
];
