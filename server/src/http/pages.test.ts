import assert from "node:assert/strict";
import { appendFile, cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { listen, temporaryFolder, testContext } from "../../test/support/room.ts";
import { loadModules } from "./page-modules.ts";
import { registerPages } from "./pages.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDERS = { consoleDir: join(ROOT, "console"), sdkDir: join(ROOT, "sdk") };
const PAGES = ["/", "/set-up", "/invitation", "/verify", "/reset", "/reset-password", "/n/0190-ab"];
const ENTRY = "/assets/console/src/main.ts";

async function servePages(test: TestContext): Promise<string> {
  return listen(test, await testContext(test), (server) => registerPages(server, FOLDERS));
}

test("every path of the console answers the same page, with a policy that forbids all that is foreign", async (test) => {
  const base = await servePages(test);
  const bodies = new Set<string>();
  for (const path of PAGES) {
    const response = await fetch(`${base}${path}?token=secret`);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(response.headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
      assert.ok(policy.split("; ").includes(rule), rule);
    }
    assert.doesNotMatch(policy, /unsafe|data:|\*|http/);
    bodies.add(await response.text());
  }
  assert.equal(bodies.size, 1);
});

test("the page holds nothing inline, and all that it names is served", async (test) => {
  const base = await servePages(test);
  const html = await (await fetch(base)).text();
  assert.doesNotMatch(html, /<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/i);
  const paths = [...html.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  assert.ok(paths.length > 20);
  for (const path of new Set(paths)) {
    const response = await fetch(base + path);
    assert.equal(response.status, 200, path);
    await response.arrayBuffer();
  }
});

test("modules are served as JavaScript without types, those of the SDK too", async (test) => {
  const base = await servePages(test);
  for (const path of [ENTRY, "/assets/sdk/src/client.ts"]) {
    const response = await fetch(base + path);
    assert.equal(response.headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.doesNotMatch(await response.text(), /import type|: Promise</);
  }
});

test("the worker lies at the root and changes with every module that it is made of", async (test) => {
  const base = await servePages(test);
  const response = await fetch(`${base}/sw.js`);
  assert.equal(response.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal(response.headers.get("cache-control"), "no-cache");
  const worker = await response.text();
  assert.match(worker, /^\/\/ \S+\nimport "\/assets\/console\/src\/sw\.ts";\n$/);
  const copy = await temporaryFolder(test);
  await cp(FOLDERS.consoleDir, copy, { recursive: true });
  await appendFile(join(copy, "src/devices/device-name.ts"), "// Changed.\n");
  const folders = { ...FOLDERS, consoleDir: copy };
  const changed = await listen(test, await testContext(test), (server) =>
    registerPages(server, folders),
  );
  assert.notEqual(await (await fetch(`${changed}/sw.js`)).text(), worker);
});

test("an asset that the browser has is answered 304, also by a tag that a proxy weakened", async (test) => {
  const base = await servePages(test);
  const first = await fetch(base + ENTRY);
  await first.arrayBuffer();
  const etag = first.headers.get("etag") ?? "";
  assert.equal(first.headers.get("cache-control"), "no-cache");
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await fetch(base + ENTRY, { headers: { "if-none-match": known } });
    assert.equal(again.status, 304, known);
    assert.equal(await again.text(), "");
  }
  const other = await fetch(base + ENTRY, { headers: { "if-none-match": '"other"' } });
  assert.equal(other.status, 200);
  await other.arrayBuffer();
});

test("HEAD answers as GET does, without the content", async (test) => {
  const base = await servePages(test);
  for (const path of ["/", "/sw.js", "/icons/bell-192.png"]) {
    const got = await fetch(base + path);
    const { byteLength } = await got.arrayBuffer();
    const head = await fetch(base + path, { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(head.headers.get("content-length"), String(byteLength));
    assert.equal(head.headers.get("etag"), got.headers.get("etag"));
    assert.equal(await head.text(), "");
  }
});

test("only what was known at the start is served, and only read", async (test) => {
  const base = await servePages(test);
  const paths = [
    "/assets/console/src/route.test.ts",
    "/assets/console/package.json",
    "/assets/sdk/package.json",
    "/assets/console/src/..%2f..%2fpackage.json",
    "/assets/console/src/%2e%2e/%2e%2e/package.json",
    "/icons/draw.ts",
    "/n/",
    "/n/a/b",
  ];
  for (const path of paths) {
    const response = await fetch(base + path);
    assert.equal(response.status === 400 || response.status === 404, true, path);
    assert.match(response.headers.get("content-type") ?? "", /json/);
  }
  const posted = await fetch(base, { method: "POST" });
  assert.equal(posted.status, 405);
  assert.equal(posted.headers.get("allow"), "GET, HEAD");
});

test("crawlers are sent away", async (test) => {
  const base = await servePages(test);
  const response = await fetch(`${base}/robots.txt`);
  assert.equal(await response.text(), "User-agent: *\nDisallow: /\n");
});

test("an import that names no file of the page stops the start", async (test) => {
  const copy = await temporaryFolder(test);
  await cp(FOLDERS.consoleDir, copy, { recursive: true });
  const folders = { ...FOLDERS, consoleDir: copy };
  await writeFile(join(copy, "src/errors.ts"), 'import "../../../etc/passwd";\n');
  assert.throws(() => loadModules(folders, ENTRY), /not served/);
  await rm(join(copy, "src/errors.ts"));
  assert.throws(() => loadModules(folders, ENTRY), /ENOENT/);
});
