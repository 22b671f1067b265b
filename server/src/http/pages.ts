import { sendFile } from "./answer-file.ts";
import { MANIFEST_PATH, manifestWithToken } from "./manifest.ts";
import { consoleIn, type PageFile } from "./page-files.ts";
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

/** Every file carries the policy, because a document that is opened directly follows the policy of its own response. */
const HEADERS = { "content-security-policy": CONTENT_SECURITY_POLICY };
/** A service worker follows its own policy. It shows notifications, whose pictures come from any host. */
const WORKER_PATH = "/sw.js";
const WORKER_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY.replace(
    "img-src 'self'",
    "img-src https: http: 'self'",
  ),
};
/** The frame of a picture. It loads only pictures, from any host, and only our pages may embed it. */
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
const HTML_HEADERS = { ...HEADERS, "cross-origin-opener-policy": "same-origin" };

/** The build puts a digest of the content into the name of every file there. */
const HASHED = /^\/assets\//;
const IMMUTABLE = "public, max-age=31536000, immutable";

const ROBOTS = "User-agent: *\nDisallow: /\n";

/**
 * Registers the console built into a folder, and its service worker. Reads every file once: later changes show after a
 * restart. Throws if the console is not built.
 */
export function registerPages(server: Server, distDir: string): void {
  const { html, files, paths } = consoleIn(distDir);
  // The page does its own routing.
  for (const path of paths) serve(server, path.replaceAll("/$", "/:"), html);
  for (const file of files) {
    if (file.path === MANIFEST_PATH) serveManifest(server, file);
    else serve(server, file.path, file);
  }
  server.route({
    method: ["GET", "HEAD"],
    url: "/robots.txt",
    schema: { hide: true },
    handler: (_request, reply) => reply.type("text/plain; charset=utf-8").send(ROBOTS),
  });
}

function serve(server: Server, url: string, file: PageFile): void {
  server.route({ method: ["GET", "HEAD"], url, schema: { hide: true }, handler: answerPage(file) });
}

function serveManifest(server: Server, file: PageFile): void {
  const sendPlain = answerPage(file);
  const plain = file.variants.at(-1)?.content ?? Buffer.from("{}");
  server.route({
    method: ["GET", "HEAD"],
    url: file.path,
    schema: { hide: true },
    handler: async (request, reply) => {
      const manifest = manifestWithToken(plain, request.query);
      if (manifest === null) return sendPlain(request, reply);
      const headers = { "content-type": file.type, "cache-control": "no-store" };
      // Sent as bytes: for a string Fastify would add a charset, which JSON does not have.
      return reply.headers(headers).send(Buffer.from(manifest));
    },
  });
}

function answerPage(file: PageFile) {
  return sendFile(file, {
    ...headersOf(file.path),
    "cache-control": HASHED.test(file.path) ? IMMUTABLE : "no-cache",
  });
}

function headersOf(path: string): Readonly<Record<string, string>> {
  if (path === WORKER_PATH) return WORKER_HEADERS;
  if (path === PICTURE_PATH) return PICTURE_HEADERS;
  return path.endsWith(".html") ? HTML_HEADERS : HEADERS;
}
