import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPortOpen, LOOPBACK } from "../doubles/listen.ts";
import { eventually } from "./eventually.ts";
import { findFreePort } from "./free-port.ts";
import { findProgram, skipUnlessInstalled } from "./program.ts";
import type { Scope } from "./scope.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const CONFIGURATION_PATH = join(import.meta.dirname, "../../../deploy/Caddyfile");
/** The skip reason of tests that need Caddy, or false if it is installed. */
export const CADDY_SKIP_REASON = skipUnlessInstalled("caddy", "caddy");

/**
 * Caddy with the repository's configuration, with other addresses, without the administration endpoint, and with the
 * edits of the test.
 */
export interface Caddy {
  /** The URL of the https site, reached over plain HTTP because Caddy has no certificate in tests. */
  readonly url: string;
  /** The URL of the http site. */
  readonly plainUrl: string;
  /** Returns everything that Caddy has logged so far. */
  readLog(): string;
}

/**
 * Starts Caddy with the repository's configuration, after `editConfiguration`, in front of a server. Caddy ends with
 * the scope.
 */
export async function startCaddy(
  scope: Scope,
  {
    serverUrl,
    editConfiguration = (text) => text,
  }: { serverUrl: string; editConfiguration?: (text: string) => string },
): Promise<Caddy> {
  const folder = await createTemporaryFolder(scope);
  const httpsSitePort = await findFreePort();
  const httpSitePort = await findFreePort();
  const file = join(folder, "Caddyfile");
  const edited = editConfiguration(await readFile(CONFIGURATION_PATH, "utf8"));
  const url = `http://${LOOPBACK}:${httpsSitePort}`;
  const plainUrl = `http://${LOOPBACK}:${httpSitePort}`;
  // The administration endpoint has a fixed port, which tests that run concurrently would share.
  const configuration = edited
    .replace("{\n", "{\n\tadmin off\n")
    .replace("\nhttp:// {", `\n${plainUrl} {`);
  await writeFile(file, configuration);
  const program = findProgram("caddy");
  if (program === null) throw new Error("caddy is missing. Install it: apt-get install caddy");
  const args = ["run", "--config", file, "--adapter", "caddyfile"];
  const env = { HOME: folder, TOCSIN_BASE_URL: url, UPSTREAM: new URL(serverUrl).host };
  const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "exit");
  scope.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const startFailure = ended.then(() => {
    throw new Error(`Caddy ended: ${output}`);
  });
  startFailure.catch(() => {});
  await Promise.race([startFailure, eventually(async () => isPortOpen(httpsSitePort), Boolean)]);
  return { url, plainUrl, readLog: () => output };
}
