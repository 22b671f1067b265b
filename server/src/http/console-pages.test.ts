import assert from "node:assert/strict";
import { cp, rm, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { startTestServer, createRoomContext } from "../../test/support/context.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { loadConsole } from "./static-files.ts";
import { registerConsolePages } from "./console-pages.ts";

const DIST = join(import.meta.dirname, "../../../console/dist");
const PAGES = ["/", "/devices", "/set-up", "/invitation", "/reset-password", "/n/0190-ab"];

async function servePages(t: TestContext): Promise<string> {
  return startTestServer(t, await createRoomContext(t), (server) =>
    registerConsolePages(server, DIST),
  );
}

/** Returns the path of the page's main script. */
async function findEntryScript(baseUrl: string): Promise<string> {
  const html = await (await fetch(baseUrl)).text();
  return /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1] ?? "";
}

test("every console path serves the same page, with a policy that forbids external content", async (t) => {
  const baseUrl = await servePages(t);
  const bodies = new Set<string>();
  for (const path of PAGES) {
    const response = await fetch(`${baseUrl}${path}?token=secret`);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-cache");
    assert.equal(response.headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      assert.ok(policy.split("; ").includes(rule), rule);
    }
    assert.doesNotMatch(policy, /unsafe|data:|\*|http|nonce/);
    bodies.add(await response.text());
  }
  assert.equal(bodies.size, 1);
});

test("the service worker has the page's policy plus pictures, and other responses have a stricter one", async (t) => {
  const baseUrl = await servePages(t);
  const readPolicy = async (path: string) =>
    (await fetch(baseUrl + path)).headers.get("content-security-policy");
  const pagePolicy = await readPolicy("/");
  for (const path of ["/icons/bell-192.png", await findEntryScript(baseUrl)]) {
    assert.equal(await readPolicy(path), pagePolicy, path);
  }
  // The worker shows pictures from any host, and the page itself shows none of them.
  assert.equal((await readPolicy("/sw.js"))?.replace(" https: http:", ""), pagePolicy);
  for (const path of ["/robots.txt", "/nowhere", "/%zz", "/api/nowhere"]) {
    assert.equal(await readPolicy(path), "default-src 'none'; frame-ancestors 'none'", path);
  }
});

test("the picture frame loads only pictures, and only our pages may embed it", async (t) => {
  const baseUrl = await servePages(t);
  const response = await fetch(`${baseUrl}/picture.html`);
  const html = await response.text();
  assert.equal(response.status, 200);
  assert.doesNotMatch(html, /<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/i);
  const rules = (response.headers.get("content-security-policy") ?? "").split("; ");
  for (const rule of ["default-src 'none'", "img-src https: http:", "frame-ancestors 'self'"]) {
    assert.ok(rules.includes(rule), rule);
  }
  assert.ok(!rules.some((rule) => rule.startsWith("connect-src")));
});

test("the page has no inline code, and every file that it references is served", async (t) => {
  const baseUrl = await servePages(t);
  const html = await (await fetch(baseUrl)).text();
  assert.doesNotMatch(html, /<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/i);
  const paths = [...html.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  assert.ok(paths.length > 8);
  for (const path of new Set(paths)) {
    const response = await fetch(baseUrl + path);
    assert.equal(response.status, 200, path);
    await response.arrayBuffer();
  }
});

test("the first page loads less than 250 kB of gzipped scripts", async () => {
  const { html, files } = loadConsole(DIST);
  const text = String(html.variants.at(-1)?.content);
  const scriptMatches = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+\.js)"/g)];
  const gzippedSizes = scriptMatches.map(([, path]) => {
    const file = files.find((candidate) => candidate.path === path);
    return file?.variants.find(({ coding }) => coding !== "br")?.content.byteLength ?? 0;
  });
  const kilobytes = gzippedSizes.reduce((sum, bytes) => sum + bytes, 0) / 1_000;
  assert.ok(kilobytes > 50 && kilobytes < 250, `${kilobytes} kB`);
});

test("hashed assets are cached forever, and all other files are revalidated", async (t) => {
  const baseUrl = await servePages(t);
  const asset = await fetch(baseUrl + (await findEntryScript(baseUrl)));
  assert.equal(asset.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(asset.headers.get("content-type"), "text/javascript; charset=utf-8");
  await asset.arrayBuffer();
  for (const path of ["/sw.js", "/scheme.js", "/manifest.webmanifest", "/icons/bell-192.png"]) {
    const response = await fetch(baseUrl + path);
    assert.equal(response.headers.get("cache-control"), "no-cache", path);
    await response.arrayBuffer();
  }
});

test("a browser gets the smallest coding that it accepts, each with its own ETag", async (t) => {
  const baseUrl = await servePages(t);
  const url = baseUrl + (await findEntryScript(baseUrl));
  const [plain, gzip, brotli] = await Promise.all([
    requestRaw(url, "identity"),
    requestRaw(url, "gzip, deflate;q=0.5"),
    requestRaw(url, "gzip, br"),
  ]);
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(gzip.headers["content-encoding"], "gzip");
  assert.equal(brotli.headers["content-encoding"], "br");
  assert.deepEqual(gunzipSync(gzip.body), plain.body);
  assert.deepEqual(brotliDecompressSync(brotli.body), plain.body);
  assert.equal(new Set([plain, gzip, brotli].map(({ headers }) => headers.etag)).size, 3);
  assert.equal(brotli.headers.vary, "accept-encoding");
  assert.equal((await requestRaw(url, "br;q=0, gzip")).headers["content-encoding"], "gzip");
});

test("the start URL of the manifest accepts a pairing token and nothing else", async (t) => {
  const baseUrl = await servePages(t);
  const readManifest = async (query: string) => {
    const response = await fetch(`${baseUrl}/manifest.webmanifest${query}`);
    assert.equal(response.headers.get("content-type"), "application/manifest+json");
    const { id, start_url } = (await response.json()) as { id: string; start_url: string };
    return [id, start_url, response.headers.get("cache-control")];
  };
  const token = "abcdefghijklmnopqrstuvwxy-_";
  assert.deepEqual(await readManifest(`?pair=${token}`), [
    "/",
    `/welcome?pair=${token}`,
    "no-store",
  ]);
  for (const query of ["", "?pair=", `?pair=${token}x`, "?pair=//evil.example/abcdefghijklm"]) {
    assert.deepEqual(await readManifest(query), ["/", "/", "no-cache"], query);
  }
});

/** Requests without decoding the content, unlike `fetch`. */
async function requestRaw(url: string, coding: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { "accept-encoding": coding } }, resolve).on("error", reject);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  return { headers: response.headers, body: Buffer.concat(chunks) };
}

test("a cached file gets 304, even with an ETag that a proxy weakened", async (t) => {
  const baseUrl = await servePages(t);
  const firstResponse = await fetch(`${baseUrl}/sw.js`);
  await firstResponse.arrayBuffer();
  const etag = firstResponse.headers.get("etag") ?? "";
  for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const cachedResponse = await fetch(`${baseUrl}/sw.js`, {
      headers: { "if-none-match": ifNoneMatch },
    });
    assert.equal(cachedResponse.status, 304, ifNoneMatch);
    assert.equal(await cachedResponse.text(), "");
  }
  const otherTagResponse = await fetch(`${baseUrl}/sw.js`, {
    headers: { "if-none-match": '"other"' },
  });
  assert.equal(otherTagResponse.status, 200);
  await otherTagResponse.arrayBuffer();
});

test("HEAD returns the headers of GET without the content", async (t) => {
  const baseUrl = await servePages(t);
  const identityOptions = { headers: { "accept-encoding": "identity" } };
  for (const path of ["/", "/sw.js", "/icons/bell-192.png"]) {
    const getResponse = await fetch(baseUrl + path, identityOptions);
    const { byteLength } = await getResponse.arrayBuffer();
    const headResponse = await fetch(baseUrl + path, { ...identityOptions, method: "HEAD" });
    assert.equal(headResponse.status, 200);
    assert.equal(headResponse.headers.get("content-length"), String(byteLength));
    assert.equal(headResponse.headers.get("etag"), getResponse.headers.get("etag"));
    assert.equal(await headResponse.text(), "");
  }
});

test("only built files are served, and only by GET and HEAD", async (t) => {
  const baseUrl = await servePages(t);
  const paths = [
    "/paths.json",
    "/.sources",
    "/sw.js.br",
    "/assets/..%2f..%2fpackage.json",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/n/",
    "/n/a/b",
  ];
  for (const path of paths) {
    const response = await fetch(baseUrl + path);
    assert.equal(response.status === 400 || response.status === 404, true, path);
    assert.match(response.headers.get("content-type") ?? "", /json/);
  }
  const postResponse = await fetch(baseUrl, { method: "POST" });
  assert.equal(postResponse.status, 405);
  assert.equal(postResponse.headers.get("allow"), "GET, HEAD");
});

test("robots.txt disallows all crawlers", async (t) => {
  const baseUrl = await servePages(t);
  const response = await fetch(`${baseUrl}/robots.txt`);
  assert.equal(await response.text(), "User-agent: *\nDisallow: /\n");
});

test("an unbuilt console or a file of unknown type prevents the start", async (t) => {
  const copiedFolder = await createTemporaryFolder(t);
  await cp(DIST, copiedFolder, { recursive: true });
  await writeFile(join(copiedFolder, "assets/a.exe"), "");
  assert.throws(() => loadConsole(copiedFolder), /unknown file type/);
  await rm(copiedFolder, { recursive: true });
  assert.throws(() => loadConsole(copiedFolder), /npm run setup/);
});
