import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "./child.mjs";

const NPM_TIMEOUT_MS = 10 * 60_000;
const VERSION_TIMEOUT_MS = 10_000;
/** npm prints the error first, and then its usage. */
const ERROR_LINES_MAX = 20;

/** Thrown if the setup fails. The message says how to fix the problem. */
export class SetupError extends Error {}

/**
 * Returns the path of the Node in node_modules, whose version package.json pins.
 *
 * @param {string} root
 */
export function getNodePath(root) {
  return join(root, "node_modules", ".bin", "node");
}

/**
 * Returns whether node_modules matches package-lock.json and contains the right Node. The second check is needed because a
 * plain `npm install` removes the Node binary.
 *
 * @param {string} root
 */
export function isInstalled(root) {
  return (
    readMarker(root) === computeFingerprint(root) &&
    readInstalledNodeVersion(root) === readWantedNodeVersion(root)
  );
}

/**
 * Installs exactly the packages of package-lock.json. Writes the marker last, so that a failed or interrupted installation is
 * repeated. Throws `SetupError`.
 *
 * @param {string} root
 */
export async function install(root) {
  rmSync(getMarkerPath(root), { force: true });
  const expectedFingerprint = computeFingerprint(root);
  await runNpm(root, ["ci", "--ignore-scripts", "--include=dev"]);
  await runNpm(root, [
    "rebuild",
    ...listPackagesWithAllowedScripts(root),
    "--ignore-scripts=false",
  ]);
  const installedVersion = readInstalledNodeVersion(root);
  const wantedVersion = readWantedNodeVersion(root);
  if (installedVersion !== wantedVersion) {
    throw new SetupError(
      `node_modules has Node ${installedVersion ?? "(none)"} where ${wantedVersion} is wanted. ` +
        "Remove the folder node_modules and run the command again.",
    );
  }
  const temporaryPath = `${getMarkerPath(root)}.new`;
  writeFileSync(temporaryPath, expectedFingerprint);
  renameSync(temporaryPath, getMarkerPath(root));
}

/**
 * Returns the program and the first arguments that call npm, the same npm that runs this script.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @returns {[command: string, ...args: string[]]}
 */
export function getNpmCommand(environment) {
  const script = environment["npm_execpath"];
  // Other package managers set the same variable.
  if (script === undefined || basename(script) !== "npm-cli.js") return ["npm"];
  // Found by PATH, because process.execPath may be the file that npm is about to replace.
  return ["node", script];
}

/**
 * Returns the packages that may run install scripts: the package that fetches the Node binary for this machine, and the
 * packages that package.json allows. Packages for other platforms are not installed, and are therefore left out.
 *
 * @param {string} root
 */
function listPackagesWithAllowedScripts(root) {
  const { allowScripts = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const allowedPackages = Object.keys(allowScripts)
    .filter((name) => allowScripts[name] === true)
    .map((name) => name.slice(0, name.lastIndexOf("@")))
    .filter((name) => name !== "node" && existsSync(join(root, "node_modules", name)));
  return ["node", ...allowedPackages];
}

/**
 * @param {string} root
 * @param {readonly string[]} args
 */
async function runNpm(root, args) {
  const [command, ...npmArgs] = getNpmCommand(process.env);
  const options = ["--no-audit", "--no-fund", "--loglevel=error"];
  const { code, signal, output } = await run(command, [...npmArgs, ...args, ...options], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: NPM_TIMEOUT_MS,
  }).catch((cause) => {
    throw new SetupError(`npm could not be started: ${cause.message}. Install npm.`, { cause });
  });
  if (code === 0) return;
  const lines = output.trim().split("\n").slice(0, ERROR_LINES_MAX);
  throw new SetupError(
    `${lines.join("\n")}\n\nThe dependencies could not be installed: ` +
      `npm ${args.join(" ")} ended with ${signal ?? `code ${code}`}.\n` +
      "Check that the npm registry can be reached and run the command again. If a package.json was " +
      "edited by hand, run `npm install` first: it updates package-lock.json.",
  );
}

/** @param {string} root */
function getMarkerPath(root) {
  return join(root, "node_modules", ".tocsin-setup");
}

/** @param {string} root */
function readMarker(root) {
  try {
    return readFileSync(getMarkerPath(root), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/** @param {string} root */
function computeFingerprint(root) {
  const { workspaces } = readManifest(root);
  const files = [".", ...workspaces].map((folder) => join(folder, "package.json"));
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  for (const file of ["package-lock.json", ...files]) hash.update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

/** @param {string} root */
function readWantedNodeVersion(root) {
  return readManifest(root).devDependencies.node;
}

/** @param {string} root */
function readInstalledNodeVersion(root) {
  const options = /** @type {const} */ ({ encoding: "utf8", timeout: VERSION_TIMEOUT_MS });
  const { status, stdout } = spawnSync(getNodePath(root), ["--version"], options);
  return status === 0 ? stdout.trim().replace(/^v/u, "") : null;
}

/**
 * @param {string} root
 * @returns {{ workspaces: string[], devDependencies: { node: string } }} the repository's own file, so its shape is known
 */
function readManifest(root) {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
}
