import { defineConfig } from "oxlint";
import { FENCES } from "./scripts/lint/fences.ts";

/** Clocks and ids come from outside, so that tests own them. */
const FROM_APP = [
  { object: "Date", property: "now", message: "Time comes from app (`now`)." },
  { object: "crypto", property: "randomUUID", message: "Ids come from app (`newId`)." },
];
const ELAPSED = {
  object: "performance",
  property: "now",
  message: "A monotonic time comes from app (`elapsed`).",
};

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
    "no-restricted-properties": ["error", ...FROM_APP],
    // Awaiting in a loop is how ordered work is written here; unordered work uses Promise.all.
    "no-await-in-loop": "off",
    // A comment gives the reason of an assertion; the types at our edges are parsed.
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
      rules: {
        "tocsin/no-request-spread": "error",
        "no-restricted-properties": ["error", ...FROM_APP, ELAPSED],
      },
    },
    {
      // Their bodies and headers are ours, or a push service's; tests spread what they made.
      files: ["server/src/providers/**/*.ts", "server/src/**/*.test.ts"],
      rules: { "tocsin/no-request-spread": "off" },
    },
    ...FENCES,
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
      files: [
        "server/src/**/*.test.ts",
        // Commands have a monotonic clock of their own.
        "server/src/operator/with-context.ts",
        // These time sockets, timers and turns of the event loop, which no clock of a test moves.
        "server/src/database/{connections,database,postgres}.ts",
        "server/src/delivery/accept/accept.ts",
        "server/src/http/{serialise-requests,unread-responses}.ts",
        "server/src/notifications/read-deadline.ts",
        "server/src/providers/deadline.ts",
        "server/src/providers/webpush/encryption/encryptor.ts",
      ],
      rules: { "no-restricted-properties": ["error", ...FROM_APP] },
    },
    {
      // The clocks and the ids of the process are made here.
      files: ["server/src/main.ts", "scripts/**", "server/test/**", "server/bench/**", "cli/**"],
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
        "scripts/test-progress.ts",
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
                  "It writes style or script elements, which the policy forbids: use a CSS module, or shell/use-color-scheme.ts.",
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
