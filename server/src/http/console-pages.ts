import { createFileHandler } from "./send-file.ts";
import { MANIFEST_PATH, createManifestWithToken } from "./manifest.ts";
import { loadConsole, type StaticFile } from "./static-files.ts";
import type { Server } from "./server.ts";

/** Forbids inline and external content. The only Trusted Types policy is for the worker's URL. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "frame-src 'self'",
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

/**
 * Every file is served with the policy, because a document that is opened directly follows the policy of its own
 * response.
 */
const DEFAULT_HEADERS = { "content-security-policy": CONTENT_SECURITY_POLICY };
/** A service worker follows its own policy. It shows notifications, whose pictures come from any host. */
const WORKER_PATH = "/sw.js";
const WORKER_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY.replace(
    "img-src 'self'",
    "img-src https: http: 'self'",
  ),
};
/** The page that frames a picture. It loads only pictures, from any host, and only our pages may embed it. */
const PICTURE_PATH = "/picture.html";
const PICTURE_HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src https: http:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
};
const HTML_HEADERS = { ...DEFAULT_HEADERS, "cross-origin-opener-policy": "same-origin" };

/** Matches files whose names contain a digest of their content, which the build adds. */
const HASHED_PATH = /^\/assets\//;
const IMMUTABLE_CACHE_CONTROL = "public, max-age=31536000, immutable";

const ROBOTS_TXT = "User-agent: *\nDisallow: /\n";

/**
 * Registers `/robots.txt` and the files of the console that was built into a folder. Reads every file once, so later
 * changes need a restart. Throws if the console is not built, or has a file of an unknown type.
 */
export function registerConsolePages(server: Server, distDir: string): void {
  const { html, files, paths } = loadConsole(distDir);
  // The console itself decides what to show at each of its paths.
  for (const path of paths) serveFile(server, path.replaceAll("/$", "/:"), html);
  for (const file of files) {
    if (file.path === MANIFEST_PATH) serveManifest(server, file);
    else serveFile(server, file.path, file);
  }
  server.route({
    method: ["GET", "HEAD"],
    url: "/robots.txt",
    schema: { hide: true },
    handler: (_request, reply) => reply.type("text/plain; charset=utf-8").send(ROBOTS_TXT),
  });
}

function serveFile(server: Server, url: string, file: StaticFile): void {
  server.route({
    method: ["GET", "HEAD"],
    url,
    schema: { hide: true },
    handler: createPageHandler(file),
  });
}

function serveManifest(server: Server, file: StaticFile): void {
  const sendUnchanged = createPageHandler(file);
  const original = file.variants.at(-1)?.content ?? Buffer.from("{}");
  server.route({
    method: ["GET", "HEAD"],
    url: file.path,
    schema: { hide: true },
    handler: async (request, reply) => {
      const manifest = createManifestWithToken(original, request.query);
      if (manifest === null) return sendUnchanged(request, reply);
      const headers = { "content-type": file.contentType, "cache-control": "no-store" };
      // Sent as bytes: for a string Fastify would add a charset, which JSON does not have.
      return reply.headers(headers).send(Buffer.from(manifest));
    },
  });
}

function createPageHandler(file: StaticFile) {
  return createFileHandler(file, {
    ...getHeaders(file.path),
    "cache-control": HASHED_PATH.test(file.path) ? IMMUTABLE_CACHE_CONTROL : "no-cache",
  });
}

function getHeaders(path: string): Readonly<Record<string, string>> {
  if (path === WORKER_PATH) return WORKER_HEADERS;
  if (path === PICTURE_PATH) return PICTURE_HEADERS;
  return path.endsWith(".html") ? HTML_HEADERS : DEFAULT_HEADERS;
}
