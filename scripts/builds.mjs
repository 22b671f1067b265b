import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./child.mjs";
import { getNodePath, SetupError } from "./installation.mjs";

const BUILD_TIMEOUT_MS = 3 * 60_000;

/**
 * @typedef {object} Build
 * @property {string} name
 * @property {string} script the path of its script; all paths are relative to the root
 * @property {string} target the folder that it writes
 * @property {readonly string[]} inputPaths its sources; the lockfile pins everything else
 */

/** @type {Build} */
export const CONSOLE = {
  name: "console",
  script: "console/build/build.ts",
  target: "console/dist",
  inputPaths: [
    "console/build",
    "console/index.html",
    "console/package.json",
    "console/public",
    "console/src",
    "console/vite.config.ts",
    "package-lock.json",
    "sdk/package.json",
    "sdk/src",
  ],
};

/** @type {Build} */
export const SERVER = {
  name: "server",
  script: "server/build/build.ts",
  target: "server/dist",
  inputPaths: [
    "package-lock.json",
    "sdk/package.json",
    "sdk/src",
    "server/build",
    "server/package.json",
    "server/src",
  ],
};

/** Everything that is built before a script runs. */
export const BUILDS = [CONSOLE, SERVER];

/**
 * Returns whether the target was built from the current sources.
 *
 * @param {string} root
 * @param {Build} build
 */
export function isBuilt(root, build) {
  return readMarker(root, build) === computeFingerprint(root, build);
}

/**
 * Runs a build. Writes the marker last, so that a failed or interrupted build is repeated. Throws `SetupError`.
 *
 * @param {string} root
 * @param {Build} build
 */
export async function runBuild(root, build) {
  const fingerprint = computeFingerprint(root, build);
  const { code, signal, output } = await run(getNodePath(root), [build.script], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: BUILD_TIMEOUT_MS,
  });
  if (code !== 0) {
    const exitReason = signal ?? `code ${code}`;
    throw new SetupError(
      `${output.trim()}\n\nThe ${build.name} could not be built: it ended with ${exitReason}.`,
    );
  }
  writeFileSync(getMarkerPath(root, build), fingerprint);
}

/**
 * Builds everything that is missing or stale.
 *
 * @param {string} root
 */
export async function buildMissing(root) {
  for (const build of BUILDS) if (!isBuilt(root, build)) await runBuild(root, build);
}

/**
 * @param {string} root
 * @param {Build} build
 */
function getMarkerPath(root, { target }) {
  return join(root, target, ".sources");
}

/**
 * @param {string} root
 * @param {Build} build
 */
function readMarker(root, build) {
  try {
    return readFileSync(getMarkerPath(root, build), "utf8");
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/**
 * @param {string} root
 * @param {Build} build
 */
function computeFingerprint(root, { inputPaths }) {
  const hash = createHash("sha256");
  for (const file of inputPaths.flatMap((path) => listFiles(root, path))) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {string[]} the file itself, or all files below a folder except tests, in a stable order
 */
function listFiles(root, path) {
  try {
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    return (
      entries
        .map(({ name }) => `${path}/${name}`)
        // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no `toSorted`, and the array is local.
        .sort()
        .flatMap((inner) => listFiles(root, inner))
    );
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") {
      return path.endsWith(".test.ts") ? [] : [path];
    }
    throw error;
  }
}

/** @param {unknown} error */
function isNotFound(error) {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
