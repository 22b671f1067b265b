import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { eventually } from "./eventually.ts";
import { findFreePort } from "./free-port.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const CONFIGURATION_PATH = join(import.meta.dirname, "../../../deploy/haproxy.cfg");

/**
 * Starts HAProxy with the repository's configuration, in front of two nodes on local ports, and returns the URL of
 * HAProxy, which ends with the test.
 */
export async function startHaproxy(
  test: TestContext,
  [firstPort, secondPort]: readonly [number, number],
): Promise<string> {
  const port = await findFreePort();
  const file = join(await createTemporaryFolder(test), "haproxy.cfg");
  const configuration = await readFile(CONFIGURATION_PATH, "utf8");
  await writeFile(
    file,
    configuration
      .replace("bind :8080", `bind 127.0.0.1:${port}`)
      .replaceAll("node-1:8080", `127.0.0.1:${firstPort}`)
      .replaceAll("node-2:8080", `127.0.0.1:${secondPort}`),
  );
  const child = spawn("haproxy", ["-db", "-q", "-f", file], {
    env: { PATH: `${process.env["PATH"]}:/usr/sbin` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const startFailure = once(child, "error").then(() => {
    throw new Error("haproxy is missing. Install it: apt-get install haproxy");
  });
  test.after(() => child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([
    startFailure,
    eventually(
      () => fetchStatus(url),
      (status) => status === 200,
    ),
  ]);
  return url;
}

async function fetchStatus(url: string): Promise<number> {
  return fetch(`${url}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );
}
