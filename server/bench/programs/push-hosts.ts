import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPortOpen, LOOPBACK } from "../../test/doubles/listen.ts";
import type { Scope } from "../../test/support/scope.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { startProcess } from "../start-process.ts";

/** The hosts of push services that are constants in other servers. */
const HOSTS = ["api.push.apple.com", "fcm.googleapis.com"];
const HTTPS_PORT = 443;

/** Mounts a hosts file over the system's, and runs the command that follows. Only this command sees the mount. */
const MOUNT_SCRIPT = 'mount --bind "$0" /etc/hosts && exec "$@"';

/** A process that runs with this prefix and environment reaches a double at the hosts of the push services. */
export interface PushHosts {
  readonly commandPrefix: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Returns why this machine cannot redirect the push services' hosts to a double; null if it can. */
export async function findFixedPushHostProblem(): Promise<string | null> {
  if (process.getuid?.() !== 0)
    return "only root can redirect the host of a push service to a double";
  if (spawnSync("unshare", ["--mount", "true"]).status !== 0)
    return "the host of a push service cannot be redirected to a double without unshare (util-linux)";
  if (await isPortOpen(HTTPS_PORT)) return `the double of a push service needs port ${HTTPS_PORT}`;
  return null;
}

/** Starts a push service that answers every request with 200 and this body, at the hosts of APNs and FCM. */
export async function startPushHosts(scope: Scope, body: string): Promise<PushHosts> {
  const args = [`--port=${HTTPS_PORT}`, `--body=${body}`];
  const { ca } = await startProcess(scope, "answering-service", { args });
  const folder = await createTemporaryFolder(scope);
  const hostsPath = join(folder, "hosts");
  const caPath = join(folder, "ca.pem");
  const redirects = HOSTS.map((host) => `${LOOPBACK} ${host}\n`).join("");
  await writeFile(hostsPath, `${redirects}${readFileSync("/etc/hosts", "utf8")}`);
  await writeFile(caPath, String(ca));
  return {
    commandPrefix: ["unshare", "--mount", "--", "sh", "-c", MOUNT_SCRIPT, hostsPath],
    // Go reads the trusted certificates from this file (package crypto/x509).
    environment: { SSL_CERT_FILE: caPath },
  };
}
