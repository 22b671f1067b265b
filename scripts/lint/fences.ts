import { AROUND_ROOMS } from "./folder-fences.ts";
import {
  ALL_ROOMS,
  FOLDERS,
  HTTP,
  IMPLEMENTATIONS,
  MODULES_ABOVE_ROOMS,
  ROOMS,
  SQL,
  type Fence,
} from "./rooms.ts";

/**
 * Rooms, folders and files that a room may not import although they come before it. Composition passes the room the
 * functions that it needs, or the room declares an interface.
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

const AUDIT: Fence = {
  group: [...ALL_ROOMS, "#concurrency/*"],
  message: "audit/ serves rooms and imports none; its caller decides how often it runs.",
};

const RELATIVE_ESCAPE: Fence = {
  regex: `^\\.\\./(\\.\\./)*(${[...ROOMS, ...FOLDERS].join("|")})/`,
  message: "`./` and `../` stay in the room; `#room/…` leaves it.",
};

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
