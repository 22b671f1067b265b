import { readFile } from "node:fs/promises";
import packageManifest from "../../package.json" with { type: "json" };
import { createLazyFileHandler } from "./send-file.ts";
import { createStaticFile } from "./static-files.ts";
import type { Server } from "./server.ts";

/** The page loads only files of this server, and icons that its style sheet embeds. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const REFERENCE_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cache-control": "no-cache",
};

const STATIC_PATH = "/docs/static";
/** The files of Swagger UI that the page names. */
const SWAGGER_FILES = [
  "favicon-16x16.png",
  "favicon-32x32.png",
  "index.css",
  "swagger-ui-bundle.js",
  "swagger-ui.css",
];

const PAGE_HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Tocsin API</title>
    <link rel="stylesheet" href="${STATIC_PATH}/swagger-ui.css" />
    <link rel="stylesheet" href="${STATIC_PATH}/index.css" />
    <link rel="icon" type="image/png" href="${STATIC_PATH}/favicon-32x32.png" sizes="32x32" />
    <link rel="icon" type="image/png" href="${STATIC_PATH}/favicon-16x16.png" sizes="16x16" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${STATIC_PATH}/swagger-ui-bundle.js"></script>
    <script src="${STATIC_PATH}/start.js"></script>
  </body>
</html>
`;

/**
 * Starts Swagger UI without its top bar, which would name another product and load any document. By default, Swagger UI
 * would show only the version of the notification API next to the title, as if that were the server's version.
 */
const START_SCRIPT = `const showVersions = (serverVersion) => () => ({
  wrapComponents: {
    VersionStamp: (Stamp, { React }) => ({ version }) =>
      React.createElement(Stamp, { version: "Tocsin " + serverVersion + ", notification API " + version }),
  },
});
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  layout: "BaseLayout",
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [SwaggerUIBundle.plugins.DownloadUrl, showVersions(${JSON.stringify(packageManifest.version)})],
  validatorUrl: null,
});
`;

/** Registers `/docs`, the page on which people read and try the OpenAPI document. */
export function registerApiReference(server: Server): void {
  const folder = new URL("static/", import.meta.resolve("@fastify/swagger-ui"));
  const serve = (url: string, { path, read }: { path: string; read: () => Promise<Buffer> }) => {
    const load = async () => createStaticFile(path, await read());
    const handler = createLazyFileHandler(load, REFERENCE_HEADERS);
    server.route({ method: ["GET", "HEAD"], url, schema: { hide: true }, handler });
  };
  serve("/docs", { path: "/docs/index.html", read: async () => Buffer.from(PAGE_HTML) });
  const startPath = `${STATIC_PATH}/start.js`;
  serve(startPath, { path: startPath, read: async () => Buffer.from(START_SCRIPT) });
  for (const name of SWAGGER_FILES) {
    const path = `${STATIC_PATH}/${name}`;
    serve(path, { path, read: () => readFile(new URL(name, folder)) });
  }
}
