import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeCertificate } from "../doubles/certificate.ts";
import { isOpen, LOOPBACK } from "../doubles/listen.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import type { Scope } from "./scope.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** An independent HTTP/2 server on this machine. */
export interface IndependentServer {
  readonly origin: string;
  /** The certificate to trust, PEM. */
  readonly ca: string;
}

interface Listener {
  readonly folder: string;
  readonly port: number;
  readonly ca: string;
}

/** Starts nghttpd, from the HTTP/2 library of Node, as an echo server. It ends with the scope. */
export async function startNghttpd(
  scope: Scope,
  options: readonly string[] = [],
): Promise<IndependentServer> {
  const listener = await prepareListener(scope);
  const { folder, port, ca } = listener;
  const files = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const fixedOptions = [`--address=${LOOPBACK}`, `--htdocs=${folder}`, "--echo-upload"];
  await run(scope, listener, ["nghttpd", ...fixedOptions, ...options, String(port), ...files]);
  return { origin: `https://${LOOPBACK}:${port}`, ca };
}

/** Starts nginx, which replies "ok" to every request. The directives apply to its server block. It ends with the scope. */
export async function startNginx(
  scope: Scope,
  directives: readonly string[] = [],
): Promise<IndependentServer> {
  const listener = await prepareListener(scope);
  const { folder, port, ca } = listener;
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const file = join(folder, "nginx.conf");
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      ${paths.map((path) => `${path}_temp_path ${join(folder, path)};`).join("\n")}
      server {
        listen ${LOOPBACK}:${port} ssl http2;
        ssl_certificate ${folder}/cert.pem;
        ssl_certificate_key ${folder}/key.pem;
        ${directives.map((directive) => `${directive};`).join("\n")}
        location / { client_max_body_size 1m; return 200 "ok"; }
      }
    }`,
  );
  await run(scope, listener, ["/usr/sbin/nginx", "-p", folder, "-c", file]);
  return { origin: `https://${LOOPBACK}:${port}`, ca };
}

async function prepareListener(scope: Scope): Promise<Listener> {
  const folder = await temporaryFolder(scope);
  const { key, cert } = makeCertificate([LOOPBACK]);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "key.pem"), key);
  await writeFile(join(folder, "cert.pem"), cert);
  return { folder, port: await freePort(), ca: cert };
}

async function run(
  scope: Scope,
  { port }: Listener,
  [program = "", ...args]: readonly string[],
): Promise<void> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  const failed = once(child, "error").then(() => {
    throw new Error(`${program} is missing. Install it: apt-get install nginx nghttp2-server`);
  });
  const ended = once(child, "exit");
  scope.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  await Promise.race([failed, eventually(async () => isOpen(port), Boolean)]);
}
