import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";

/**
 * Packages that our modules import at start. Each one costs start time and memory of an idle server, so most packages
 * that only some servers need are loaded on first use.
 */
const IMPORTED_AT_START: readonly string[] = [
  "@fastify/ajv-compiler",
  "@fastify/fast-json-stringify-compiler",
  "@fastify/swagger",
  "@tocsin/sdk",
  "fastify",
  "find-my-way",
  "jose",
  "kysely",
  "pg",
  "pino",
  "prom-client",
  "undici",
];

test("our modules import exactly the listed packages at start", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", LIST_PACKAGES_SCRIPT],
    { cwd: import.meta.dirname },
  );
  assert.deepEqual(JSON.parse(stdout), IMPORTED_AT_START);
});

/** Prints the packages that modules of this server import while the server's main module is loaded. */
const LIST_PACKAGES_SCRIPT = `
  import { registerHooks } from "node:module";
  const packages = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const isImportedByUs = !context.parentURL?.includes("/node_modules/");
      const [scope, name] = specifier.split("/");
      if (isImportedByUs && /^(@[^/]+\\/)?[a-z]/.test(specifier) && !/^(node|file|data):/.test(specifier))
        packages.add(scope.startsWith("@") ? scope + "/" + name : scope);
      return next(specifier, context);
    },
  });
  await import("#main.ts");
  console.log(JSON.stringify([...packages].toSorted()));`;
