import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isOpen, LOOPBACK } from "../doubles/listen.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { findProgram, missing } from "./program.ts";
import type { Scope } from "./scope.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const CONFIGURATION = join(import.meta.dirname, "../../../deploy/Caddyfile");
/** For tests before which Caddy must stand: how to get it, or false. */
export const NO_CADDY = missing("caddy", "caddy");

/** Caddy with the configuration of the repository, in which nothing but addresses differs. */
export interface Caddy {
  /** The door that stands for https: callers come over plain HTTP, as Caddy has no certificate here. */
  readonly url: string;
  /** The door that stands for http. */
  readonly plainUrl: string;
  /** All that it has written so far. */
  log(): string;
}

/** Starts Caddy before a server as the repository configures it; it ends with the scope. */
export async function startCaddy(
  scope: Scope,
  { server, change = (text) => text }: { server: string; change?: (text: string) => string },
): Promise<Caddy> {
  const folder = await temporaryFolder(scope);
  const [port, plainPort] = [await freePort(), await freePort()];
  const file = join(folder, "Caddyfile");
  const given = change(await readFile(CONFIGURATION, "utf8"));
  const [url, plainUrl] = [`http://${LOOPBACK}:${port}`, `http://${LOOPBACK}:${plainPort}`];
  // No port for its administration: several tests run at once.
  const here = given.replace("{\n", "{\n\tadmin off\n").replace("\nhttp:// {", `\n${plainUrl} {`);
  await writeFile(file, here);
  const program = findProgram("caddy");
  if (program === null) throw new Error("caddy is missing. Install it: apt-get install caddy");
  const args = ["run", "--config", file, "--adapter", "caddyfile"];
  const env = { HOME: folder, TOCSIN_BASE_URL: url, UPSTREAM: new URL(server).host };
  const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "exit");
  scope.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const early = ended.then(() => {
    throw new Error(`Caddy ended: ${said}`);
  });
  early.catch(() => {});
  await Promise.race([early, eventually(async () => isOpen(port), Boolean)]);
  return { url, plainUrl, log: () => said };
}
