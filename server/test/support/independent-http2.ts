import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateCertificate } from "../doubles/certificate.ts";
import { isPortOpen, LOOPBACK } from "../doubles/listen.ts";
import { eventually } from "./eventually.ts";
import { findFreePort } from "./free-port.ts";
import type { Scope } from "./scope.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** An HTTP/2 server on this machine that contains none of Tocsin's code. */
export interface IndependentHttp2Server {
  readonly origin: string;
  /** The certificate to trust, PEM. */
  readonly ca: string;
}

interface ServerFiles {
  readonly folder: string;
  readonly port: number;
  readonly ca: string;
}

/** Starts nghttpd, the server of nghttp2, Node's HTTP/2 library, as an echo server. It is killed when the scope ends. */
export async function startNghttpd(
  scope: Scope,
  options: readonly string[] = [],
): Promise<IndependentHttp2Server> {
  const serverFiles = await prepareServerFiles(scope);
  const { folder, port, ca } = serverFiles;
  const tlsFiles = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const fixedOptions = [`--address=${LOOPBACK}`, `--htdocs=${folder}`, "--echo-upload"];
  await startProgram(scope, serverFiles, [
    "nghttpd",
    ...fixedOptions,
    ...options,
    String(port),
    ...tlsFiles,
  ]);
  return { origin: `https://${LOOPBACK}:${port}`, ca };
}

/**
 * Starts nginx, which replies "ok" to every request, until the scope ends. The directives apply to its server block.
 */
export async function startNginxHttp2Server(
  scope: Scope,
  directives: readonly string[] = [],
): Promise<IndependentHttp2Server> {
  const serverFiles = await prepareServerFiles(scope);
  const { folder, port, ca } = serverFiles;
  const temporaryFolders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const file = join(folder, "nginx.conf");
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      ${temporaryFolders.map((path) => `${path}_temp_path ${join(folder, path)};`).join("\n")}
      server {
        listen ${LOOPBACK}:${port} ssl http2;
        ssl_certificate ${folder}/cert.pem;
        ssl_certificate_key ${folder}/key.pem;
        ${directives.map((directive) => `${directive};`).join("\n")}
        location / { client_max_body_size 1m; return 200 "ok"; }
      }
    }`,
  );
  await startProgram(scope, serverFiles, ["/usr/sbin/nginx", "-p", folder, "-c", file]);
  return { origin: `https://${LOOPBACK}:${port}`, ca };
}

async function prepareServerFiles(scope: Scope): Promise<ServerFiles> {
  const folder = await createTemporaryFolder(scope);
  const { key, cert } = generateCertificate([LOOPBACK]);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "key.pem"), key);
  await writeFile(join(folder, "cert.pem"), cert);
  return { folder, port: await findFreePort(), ca: cert };
}

async function startProgram(
  scope: Scope,
  { port }: ServerFiles,
  [program = "", ...args]: readonly string[],
): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  const startFailure = once(child, "error").then(() => {
    throw new Error(`${program} is missing. Install it: apt-get install nginx nghttp2-server`);
  });
  const ended = once(child, "exit");
  scope.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  await Promise.race([startFailure, eventually(async () => isPortOpen(port), Boolean)]);
}
