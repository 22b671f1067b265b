import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { globSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOpen, LOOPBACK } from "../doubles/listen.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import type { Scope } from "./scope.ts";

const [TOOLS = null] = globSync("/usr/lib/postgresql/*/bin/pg_dump").map((path) =>
  join(path, ".."),
);
/** Any user but root, whom PostgreSQL refuses. */
const NOBODY = 65_534;

/** For tests of pg_dump, which must be of the version of its server: how to get both, or false. */
export const NO_TOOLS: string | false =
  TOOLS !== null && globSync(join(TOOLS, "postgres")).length > 0
    ? false
    : "needs a server with its tools: apt-get install postgresql";

/** Starts the PostgreSQL server of this machine's system in a folder of its own, beside its tools; it ends with the scope. */
export async function startOwnTools(scope: Scope): Promise<{ url: string; folder: string }> {
  const tools = TOOLS ?? "";
  const folder = await mkdtemp(join(tmpdir(), "tocsin-tools-"));
  const isRoot = process.getuid?.() === 0;
  await chmod(folder, 0o700);
  if (isRoot) await chown(folder, NOBODY, NOBODY);
  const who = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = join(folder, "data");
  const made = ["--username=tocsin", "--auth=trust", "--encoding=UTF8", "--no-sync", data];
  execFileSync(join(tools, "initdb"), made, { ...who, cwd: folder, stdio: "ignore" });
  const port = await freePort();
  const flags = ["-D", data, "-p", String(port), "-clisten_addresses=127.0.0.1"];
  const quick = ["-cunix_socket_directories=", "-cfsync=off"];
  const child = spawn(join(tools, "postgres"), [...flags, ...quick], {
    ...who,
    cwd: folder,
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  scope.after(async () => {
    child.kill("SIGQUIT");
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await eventually(async () => isOpen(port), Boolean);
  return { url: `postgres://tocsin@${LOOPBACK}:${port}`, folder: tools };
}
