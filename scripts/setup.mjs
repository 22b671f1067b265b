// Runs on the machine's Node (18 or later) before anything is installed, so it is JavaScript without packages.
//
//   node scripts/setup.mjs                     installs missing packages and builds the console and the server if they changed
//   node scripts/setup.mjs run FILE ARGUMENTS  does the same, then runs FILE with the Node in node_modules
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { exitLike, run } from "./child.mjs";
import { BUILDS, isBuilt, runBuild } from "./builds.mjs";
import { install, isInstalled, getNodePath, SetupError } from "./installation.mjs";
import { withLock } from "./setup-lock.mjs";

const NODE_MIN_MAJOR = 18;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const [command, file, ...args] = process.argv.slice(2);

if (Number.parseInt(process.versions.node, 10) < NODE_MIN_MAJOR) {
  fail(`Node ${NODE_MIN_MAJOR} or later is needed to set up; this is ${process.version}.`);
} else if (command !== undefined && (command !== "run" || file === undefined)) {
  fail("Usage: node scripts/setup.mjs [run FILE ARGUMENTS]");
} else if ((await setUp()) && file !== undefined) {
  await runFile(file);
}

/** @returns {Promise<boolean>} false after a reported failure */
async function setUp() {
  try {
    if (isInstalled(ROOT) && BUILDS.every((build) => isBuilt(ROOT, build))) return true;
    await withLock(join(ROOT, ".setup-lock"), reportWait, installAndBuild);
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    fail(error.message);
    return false;
  }
}

/** Installs and builds. Checks again, because another setup may have done all or part of it while this one waited. */
async function installAndBuild() {
  if (!isInstalled(ROOT)) {
    console.error("Installing dependencies (about a minute)…");
    await install(ROOT);
  }
  for (const build of BUILDS) {
    if (isBuilt(ROOT, build)) continue;
    console.error(`Building the ${build.name} (a few seconds)…`);
    await runBuild(ROOT, build);
  }
}

/** @param {string} path */
async function runFile(path) {
  const modules = join(ROOT, "node_modules");
  const env = {
    // Without the cache, every start would compile thousands of modules.
    NODE_COMPILE_CACHE: join(modules, ".cache", "compiled"),
    ...process.env,
    PATH: `${join(modules, ".bin")}${delimiter}${process.env["PATH"] ?? ""}`,
  };
  const options = /** @type {const} */ ({ stdio: "inherit", env });
  // The condition selects the built server: see `exports` in server/package.json.
  const nodeArgs = ["--conditions=bundled", resolve(ROOT, path), ...args];
  exitLike(await run(getNodePath(ROOT), nodeArgs, options));
}

/** @param {{ pid: number }} owner */
function reportWait({ pid }) {
  console.error(`Another setup is running (process ${pid}); waiting for it…`);
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
