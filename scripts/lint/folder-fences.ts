import { ALL_ROOMS, HTTP, IMPLEMENTATIONS, MODULES_ABOVE_ROOMS, SQL, type Fence } from "./rooms.ts";

/** Folders of the server that are not rooms, with the imports that are forbidden in each. */
export const AROUND_ROOMS: readonly (readonly [folder: string, fences: readonly Fence[]])[] = [
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
    "dialects",
    [
      SQL,
      IMPLEMENTATIONS,
      {
        group: [
          "#*",
          "#*/**",
          "!#notifications/*",
          "!#apps/*",
          "!#http/*",
          "!#content/*",
          "!#errors.ts",
          "!#ids.ts",
        ],
        message:
          "dialects/ translates other services' APIs into sends and streams, and has no logic of its own.",
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
