import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./child.mjs";
import { getNodePath, SetupError } from "./installation.mjs";

const BUILD_TIMEOUT_MS = 3 * 60_000;

/** The sources of the console; the lockfile pins everything else. */
const INPUT_PATHS = [
  "console/build",
  "console/index.html",
  "console/package.json",
  "console/public",
  "console/src",
  "console/vite.config.ts",
  "package-lock.json",
  "sdk/package.json",
  "sdk/src",
];

/**
 * Returns whether console/dist was built from the current sources.
 *
 * @param {string} root
 */
export function isConsoleBuilt(root) {
  return readMarker(root) === computeFingerprint(root);
}

/**
 * Builds the console. Writes the marker last, so that a failed or interrupted build is repeated. Throws `SetupError`.
 *
 * @param {string} root
 */
export async function buildConsole(root) {
  const fingerprint = computeFingerprint(root);
  const { code, signal, output } = await run(getNodePath(root), ["console/build/build.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: BUILD_TIMEOUT_MS,
  });
  if (code !== 0) {
    const ended = signal ?? `code ${code}`;
    throw new SetupError(
      `${output.trim()}\n\nThe console could not be built: it ended with ${ended}.`,
    );
  }
  writeFileSync(getMarkerPath(root), fingerprint);
}

/** @param {string} root */
function getMarkerPath(root) {
  return join(root, "console", "dist", ".sources");
}

/** @param {string} root */
function readMarker(root) {
  try {
    return readFileSync(getMarkerPath(root), "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** @param {string} root */
function computeFingerprint(root) {
  const hash = createHash("sha256");
  for (const file of INPUT_PATHS.flatMap((path) => listFiles(root, path))) {
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
 * @returns {string[]} the file itself, or all files below a folder without tests, in a stable order
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
function isMissing(error) {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
