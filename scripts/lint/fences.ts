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

/**
 * Rooms, folders and files that stand before a room and that it still does not import: composition hands in what it needs of
 * them, or the room states it as an interface.
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

/** Folders with no meaning of their own that any room may use. */
const NO_ROOMS = ROOMS.flatMap((room) => [`#${room}/*`, `#${room}/**`]);

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
  group: [...NO_ROOMS, "#concurrency/*"],
  message: "audit/ serves rooms and imports none; its caller decides how often it runs.",
};

/** Folders beside the rooms. */
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

const AROUND: Fence = {
  regex: `^\\.\\./(\\.\\./)*(${[...ROOMS, ...FOLDERS].join("|")})/`,
  message: "`./` and `../` stay in the room; `#room/…` leaves it.",
};

/** Files that put rooms together or work on all of them. */
const ABOVE = ["#composition/*", "#operator/*", "#process/*", "#app.ts", "#main.ts"];

function restrict(fences: readonly Fence[]): Record<string, unknown> {
  return { "no-restricted-imports": ["error", { patterns: [...fences, AROUND] }] };
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

/** Folders of the server that are no rooms, with what each may not import. */
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
          ...NO_ROOMS,
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
        group: [...NO_ROOMS, ...ABOVE, "#doctor/*", "#mail/*", "#audit/*"],
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
          ...NO_ROOMS,
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

/** The fences of one room; a more exact glob wins over a broader one before it. */
function roomFences(room: string) {
  const order = [laterRooms(room), ...handedIn(room)];
  const folder = `server/src/${room}`;
  return [
    {
      files: [`${folder}/**/*.ts`],
      rules: restrict([...order, SQL, HTTP, IMPLEMENTATIONS]),
    },
    // rows.ts says what the columns mean, for stores of one room that share tables.
    {
      files: [`${folder}/**/store.ts`, `${folder}/**/store/*.ts`, `${folder}/**/rows.ts`],
      rules: restrict([...order, HTTP, IMPLEMENTATIONS]),
    },
    { files: [`${folder}/**/routes.ts`], rules: restrict([...order, SQL, IMPLEMENTATIONS]) },
    // Tests build a real app: they may reach everything.
    { files: [`${folder}/**/*.test.ts`], rules: { "no-restricted-imports": "off" } },
  ];
}

/** Fences between the server's folders, as overrides of the linter; a later one wins over an earlier one. */
export const FENCES = [
  { files: ["server/src/**/*.ts"], rules: restrict([]) },
  {
    files: ["server/src/http/**/*.ts"],
    rules: restrict([
      SQL,
      { group: [...NO_ROOMS, "#token.ts"], message: "http/ imports no room, and issues no token." },
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
    rules: restrict([HTTP, { group: NO_ROOMS, message: "It serves rooms and imports none." }]),
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
      { group: [...NO_ROOMS, ...ABOVE], message: "It serves rooms and imports none." },
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
