import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPortOpen, LOOPBACK } from "../doubles/listen.ts";
import { eventually } from "./eventually.ts";
import { findFreePort } from "./free-port.ts";
import { findProgram, skipUnlessInstalled } from "./program.ts";
import type { Scope } from "./scope.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const CONFIGURATION_PATH = join(import.meta.dirname, "../../../deploy/nginx.conf");
/** The skip reason of tests that need nginx, or false if it is installed. */
export const NGINX_SKIP_REASON = skipUnlessInstalled("nginx", "nginx-light");
/** The names of nginx's folders for temporary files. */
const TEMPORARY_FOLDERS = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

/** A PEM certificate and key that replace those in the configuration. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Options of `startNginx`. */
export interface NginxOptions {
  readonly serverUrl: string;
  /** Without a certificate, the https site is reached over plain HTTP. */
  readonly certificate?: Certificate;
  /** Edits the configuration, so that a check can show that a test fails on a wrong one. */
  readonly editConfiguration?: (configuration: string) => string;
}

/**
 * nginx with the repository's configuration. Only addresses and paths are changed, and TLS is off without a
 * certificate.
 */
export interface RunningNginx {
  /** The URL of the site that listens on 443. */
  readonly url: string;
  /** The URL of the site that listens on 80. */
  readonly plainUrl: string;
  /** Resolves with the access log, the error log and the start-up output of nginx. */
  readLog(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts nginx with the repository's configuration in front of a server. nginx is killed when the scope ends. */
export async function startNginx(scope: Scope, options: NginxOptions): Promise<RunningNginx> {
  const folder = await createTemporaryFolder(scope);
  const ports = { plain: await findFreePort(), secure: await findFreePort() };
  const { certificate, editConfiguration = (text) => text } = options;
  await mkdir(join(folder, "log"));
  if (certificate !== undefined) {
    await writeFile(join(folder, "fullchain.pem"), certificate.cert);
    await writeFile(join(folder, "privkey.pem"), certificate.key);
  }
  const originalConfiguration = editConfiguration(await readFile(CONFIGURATION_PATH, "utf8"));
  await writeFile(
    join(folder, "tocsin.conf"),
    adaptConfiguration(originalConfiguration, { folder, ports, options }),
  );
  await writeFile(join(folder, "nginx.conf"), createMainConfiguration(folder));
  const { stop } = await startNginxProcess(scope, { folder, port: ports.secure });
  return {
    url: `${certificate === undefined ? "http" : "https"}://${LOOPBACK}:${ports.secure}`,
    plainUrl: `http://${LOOPBACK}:${ports.plain}`,
    stop,
    async readLog() {
      const names = await readdir(join(folder, "log"));
      const texts = names.map((name) => readFile(join(folder, "log", name), "utf8"));
      return (await Promise.all(texts)).join("");
    },
  };
}

interface ConfigurationInput {
  readonly folder: string;
  readonly ports: { readonly plain: number; readonly secure: number };
  readonly options: NginxOptions;
}

/**
 * Returns the configuration with the addresses and folders of a test. Throws if it lacks a line that must be replaced.
 */
function adaptConfiguration(
  configuration: string,
  { folder, ports, options }: ConfigurationInput,
): string {
  const { serverUrl, certificate } = options;
  const isSecure = certificate !== undefined;
  const changes: readonly (readonly [RegExp, string])[] = [
    // A test machine may lack IPv6.
    [/^ *listen \[::\].*\n/gm, ""],
    [/listen 80;/g, `listen ${LOOPBACK}:${ports.plain};`],
    [
      /listen 443 ssl http2;/g,
      `listen ${LOOPBACK}:${ports.secure}${isSecure ? " ssl http2" : ""};`,
    ],
    [/server 127\.0\.0\.1:8080;/g, `server ${new URL(serverUrl).host};`],
    [/\/var\/log\/nginx/g, join(folder, "log")],
    [
      isSecure ? /\/etc\/letsencrypt\/live\/push\.example\.org/g : /^ *ssl_.*\n/gm,
      isSecure ? folder : "",
    ],
  ];
  return changes.reduce((text, [from, to]) => {
    if (text.search(from) === -1) throw new Error(`deploy/nginx.conf has no match for ${from}.`);
    return text.replaceAll(from, to);
  }, configuration);
}

/** Returns a main configuration like Debian's /etc/nginx/nginx.conf. */
function createMainConfiguration(folder: string): string {
  return `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log/error.log;
    events { worker_connections 768; }
    http {
      types { text/html html; }
      default_type application/octet-stream;
      access_log ${folder}/log/access.log;
      ${TEMPORARY_FOLDERS.map((name) => `${name}_temp_path ${join(folder, name)};`).join("\n")}
      include ${folder}/tocsin.conf;
    }\n`;
}

async function startNginxProcess(
  scope: Scope,
  { folder, port }: { readonly folder: string; readonly port: number },
) {
  const args = [
    "-p",
    folder,
    "-e",
    join(folder, "log/start.log"),
    "-c",
    join(folder, "nginx.conf"),
  ];
  const program = findProgram("nginx");
  if (program === null)
    throw new Error("nginx is missing. Install it: apt-get install nginx-light");
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  scope.after(stop);
  const startFailure = exited.then(async () => {
    throw new Error(`nginx exited: ${await readFile(join(folder, "log/start.log"), "utf8")}`);
  });
  startFailure.catch(() => {});
  await Promise.race([startFailure, eventually(async () => isPortOpen(port), Boolean)]);
  return { stop };
}
