import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { loadModules, type PageFolders } from "./page-modules.ts";
import type { Server } from "./server.ts";

/** The paths of the console, those of mailed links among them; the page itself tells them apart. */
const SHELL_PATHS = [
  "/",
  "/set-up",
  "/invitation",
  "/verify",
  "/reset",
  "/reset-password",
  "/n/:id",
] as const;

const PAGE_ENTRY = "/assets/console/src/main.ts";
const WORKER_ENTRY = "/assets/console/src/sw.ts";

/** Read as they are, by their paths. */
const STATIC_FILES: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  "/assets/console/style.css": { file: "style.css", type: "text/css; charset=utf-8" },
  "/manifest.webmanifest": { file: "manifest.webmanifest", type: "application/manifest+json" },
  "/icons/bell.svg": { file: "icons/bell.svg", type: "image/svg+xml" },
  "/icons/bell-180.png": { file: "icons/bell-180.png", type: "image/png" },
  "/icons/bell-192.png": { file: "icons/bell-192.png", type: "image/png" },
  "/icons/bell-512.png": { file: "icons/bell-512.png", type: "image/png" },
};

const JAVASCRIPT = "text/javascript; charset=utf-8";
const ROBOTS = "User-agent: *\nDisallow: /\n";

/** Nothing inline, nothing from elsewhere; the one Trusted Types policy names the worker's address. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types tocsin-worker",
].join("; ");

const HTML_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
};

/**
 * Registers the console, its service worker and what they are made of. Every file is read here, once, and the types
 * are stripped from its modules: later changes show after a restart. Throws where a file is missing.
 */
export function registerPages(server: Server, folders: PageFolders): void {
  const pageModules = loadModules(folders, PAGE_ENTRY);
  const workerModules = loadModules(folders, WORKER_ENTRY);
  const html = shellOf(folders, pageModules);
  for (const path of SHELL_PATHS) {
    serve(server, path, asset(html, "text/html; charset=utf-8", HTML_HEADERS));
  }
  for (const [path, code] of new Map([...pageModules, ...workerModules])) {
    serve(server, path, asset(code, JAVASCRIPT));
  }
  for (const [path, { file, type }] of Object.entries(STATIC_FILES)) {
    serve(server, path, asset(readFileSync(join(folders.consoleDir, file)), type));
  }
  serve(server, "/sw.js", asset(workerOf(workerModules), JAVASCRIPT));
  serve(server, "/robots.txt", asset(ROBOTS, "text/plain; charset=utf-8"));
}

/** Names every module of the page in its head: browsers then fetch them at once, not import by import. */
function shellOf({ consoleDir }: PageFolders, modules: ReadonlyMap<string, string>): string {
  const html = readFileSync(join(consoleDir, "index.html"), "utf8");
  const links = [...modules.keys()].map((path) => `<link rel="modulepreload" href="${path}">`);
  return html.replace("</head>", `${links.join("")}</head>`);
}

/**
 * A worker's address must stay, and its scope is the folder it lies in; so a file at the root imports the real one.
 * The digest makes browsers notice a change in any of its modules, also those that compare this file alone.
 */
function workerOf(modules: ReadonlyMap<string, string>): string {
  const digest = digestOf([...modules.values()].join("\n"));
  return `// ${digest}\nimport "${WORKER_ENTRY}";\n`;
}

interface Asset {
  readonly content: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
}

function asset(content: string | Buffer, type: string, headers = {}): Asset {
  const bytes = Buffer.from(content);
  const etag = `"${digestOf(bytes)}"`;
  return {
    content: bytes,
    headers: { ...headers, "content-type": type, "cache-control": "no-cache", etag },
    etag,
  };
}

function serve(server: Server, url: string, { content, headers, etag }: Asset): void {
  server.route({
    method: ["GET", "HEAD"],
    url,
    schema: { hide: true },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      reply.headers(headers);
      if (isKnown(request, etag)) return reply.code(304).send();
      return reply.send(content);
    },
  });
}

/** RFC 9110 section 13.1.2: the comparison is weak, since a proxy that compresses weakens the tag. */
function isKnown(request: FastifyRequest, etag: string): boolean {
  const known = request.headers["if-none-match"] ?? "";
  return known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

function digestOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 22);
}
