// npm run okhttp-client  copies OkHttp, the network library of Gotify's Android app that a test receives with, unless it
//                        was copied. Needs Java 17 or later, Maven, and access to Maven's registry.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { exitLike, run } from "./child.mjs";
import { ROOT } from "./files.ts";

const POM = join(ROOT, "scripts/okhttp-client/pom.xml");
const FOLDER = join(ROOT, "node_modules/.cache/okhttp-client");
const MARKER = join(FOLDER, "installed.xml");
const INSTALL_TIMEOUT_MS = 5 * 60_000;

/** Returns the class path of the library; null if it was not copied in the version that the repository pins. */
export function findOkHttp(): string | null {
  const isCopied = existsSync(MARKER) && readFileSync(MARKER, "utf8") === readFileSync(POM, "utf8");
  return isCopied ? join(FOLDER, "*") : null;
}

if (import.meta.main) await install();

async function install(): Promise<void> {
  if (findOkHttp() !== null) {
    console.log("okhttp-client is installed.");
    return;
  }
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const args = ["-q", "-B", "-f", POM, "dependency:copy-dependencies"];
  const options = { stdio: "inherit", timeout: INSTALL_TIMEOUT_MS } as const;
  const result = await run("mvn", [...args, `-DoutputDirectory=${FOLDER}`], options);
  if (result.code !== 0) {
    exitLike(result);
    return;
  }
  writeFileSync(MARKER, readFileSync(POM, "utf8"));
  console.log("Installed okhttp-client.");
}
