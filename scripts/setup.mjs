// Runs on the machine's Node (18 or later) before anything is installed, so it is JavaScript without packages.
//
//   node scripts/setup.mjs                     installs missing packages and builds the console if it changed
//   node scripts/setup.mjs run FILE ARGUMENTS  does the same, then runs FILE with the Node in node_modules
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { endLike, run } from "./child.mjs";
import { build, isBuilt } from "./console-build.mjs";
import { install, isInstalled, nodePath, SetupError } from "./installation.mjs";
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
    if (isInstalled(ROOT) && isBuilt(ROOT)) return true;
    await withLock(join(ROOT, ".setup-lock"), tellWait, prepare);
    return true;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    fail(error.message);
    return false;
  }
}

/** Checks again, because another setup may have done all or part of the work during the wait. */
async function prepare() {
  if (!isInstalled(ROOT)) {
    console.error("Installing dependencies (about a minute)…");
    await install(ROOT);
  }
  if (!isBuilt(ROOT)) {
    console.error("Building the console (some seconds)…");
    await build(ROOT);
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
  endLike(await run(nodePath(ROOT), [resolve(ROOT, path), ...args], options));
}

/** @param {{ pid: number }} owner */
function tellWait({ pid }) {
  console.error(`Another setup is at work (process ${pid}); waiting for it…`);
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
