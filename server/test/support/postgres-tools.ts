import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { globSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPortOpen, LOOPBACK } from "../doubles/listen.ts";
import { eventually } from "./eventually.ts";
import { findFreePort } from "./free-port.ts";
import type { Scope } from "./scope.ts";

const [TOOLS_FOLDER = null] = globSync("/usr/lib/postgresql/*/bin/pg_dump").map((path) =>
  join(path, ".."),
);
/** An unprivileged user, because PostgreSQL refuses root. */
const NOBODY_ID = 65_534;

/** The skip reason of tests that need a server with a matching pg_dump, or false if both are installed. */
export const POSTGRES_TOOLS_SKIP_REASON: string | false =
  TOOLS_FOLDER !== null && globSync(join(TOOLS_FOLDER, "postgres")).length > 0
    ? false
    : "needs a server with its tools: apt-get install postgresql";

/** Starts this system's PostgreSQL server in a temporary folder. Returns its URL and the folder of its tools. It ends with the scope. */
export async function startSystemPostgres(scope: Scope): Promise<{ url: string; folder: string }> {
  const tools = TOOLS_FOLDER ?? "";
  const folder = await mkdtemp(join(tmpdir(), "tocsin-tools-"));
  const isRoot = process.getuid?.() === 0;
  await chmod(folder, 0o700);
  if (isRoot) await chown(folder, NOBODY_ID, NOBODY_ID);
  const user = isRoot ? { uid: NOBODY_ID, gid: NOBODY_ID } : {};
  const data = join(folder, "data");
  const initOptions = ["--username=tocsin", "--auth=trust", "--encoding=UTF8", "--no-sync", data];
  execFileSync(join(tools, "initdb"), initOptions, { ...user, cwd: folder, stdio: "ignore" });
  const port = await findFreePort();
  const flags = ["-D", data, "-p", String(port), "-clisten_addresses=127.0.0.1"];
  const fastOptions = ["-cunix_socket_directories=", "-cfsync=off"];
  const child = spawn(join(tools, "postgres"), [...flags, ...fastOptions], {
    ...user,
    cwd: folder,
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  scope.after(async () => {
    child.kill("SIGQUIT");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await eventually(async () => isPortOpen(port), Boolean);
  return { url: `postgres://tocsin@${LOOPBACK}:${port}`, folder: tools };
}
