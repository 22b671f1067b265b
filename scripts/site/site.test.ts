import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { groupTabs } from "../../docs/.vitepress/markdown.ts";
import { findSiteTarget, PAGES, createSidebar } from "../../docs/.vitepress/pages.ts";
import { findSiteProblems } from "./site-problems.ts";

const VALID_SITE = {
  "index.html": '<a href="/a/">a</a> <a href="/a/#one">one</a> <img src="/b.svg" alt="">',
  "a/index.html":
    '<h2 id="one">One</h2> <a href="../index.html">up</a> <a href="https://x.org">x</a>',
  "b.svg": "<svg/>",
  "c.css": "a { background: url(data:image/png;base64,AA) }",
};

test("broken links, headings and pictures, and files from other hosts are reported", (t) => {
  assert.deepEqual(findSiteProblems(createSite(t, VALID_SITE), "/"), []);
  const brokenPages = {
    "a/index.html": '<a href="/b.html">b</a> <a href="/#two">two</a> <a href="x.png">x</a>',
    "d.html": '<img src="https://x.org/y.png"> <script src="//x.org/z.js"></script>',
    "c.css": "@import 'https://fonts.x.org/a.css';",
  };
  assert.deepEqual(
    findSiteProblems(createSite(t, { ...VALID_SITE, ...brokenPages }), "/").toSorted(),
    [
      "a/index.html: nothing is at /#two",
      "a/index.html: nothing is at /b.html",
      "a/index.html: nothing is at x.png",
      "c.css loads https://fonts.x.org/a.css",
      "d.html: <img> loads https://x.org/y.png",
      "d.html: <script> loads //x.org/z.js",
      "index.html: nothing is at /a/#one",
    ],
  );
});

test("a link that leaves a site below the root is broken", (t) => {
  const folder = createSite(t, { "index.html": '<a href="/docs/">a</a> <a href="/b">b</a>' });
  assert.deepEqual(findSiteProblems(folder, "/docs/"), ["index.html: nothing is at /b"]);
});

test("every page except the front page is in the sidebar once", () => {
  const links = createSidebar().flatMap(({ items }) => items.map(({ link }) => link));
  const expectedLinks = PAGES.map(({ target }) => `/${target}`).filter(
    (link) => link !== "/index.md",
  );
  assert.deepEqual(links.toSorted(), expectedLinks.toSorted());
  assert.ok(expectedLinks.length > 10);
});

test("a link points to the page of a file, or to the file as text", () => {
  assert.deepEqual(findSiteTarget("README.md"), { kind: "page", to: "/" });
  assert.deepEqual(findSiteTarget("ARCHITECTURE.md"), { kind: "page", to: "/architecture.md" });
  assert.deepEqual(findSiteTarget("docs/api.md"), { kind: "page", to: "/api.md" });
  assert.deepEqual(findSiteTarget("LICENSE"), { kind: "file", to: "/repository/LICENSE.txt" });
  assert.deepEqual(findSiteTarget("deploy"), { kind: "file", to: "/repository/deploy.txt" });
  assert.equal(findSiteTarget("nothing.md"), null);
});

test("consecutive blocks with a title become tabs", () => {
  const one = "```sh [a] run\nx\n```\n";
  const two = "```js [b]\ny\n```\n";
  assert.equal(
    groupTabs(`Text\n\n${one}\n${two}\nMore\n`),
    `Text\n\n::: code-group\n${one}\n${two.trimEnd()}\n:::\n\nMore\n`,
  );
  for (const text of [`${one}\nText\n\n${two}`, "```sh\nx\n```\n\n```js\ny\n```\n"]) {
    assert.equal(groupTabs(text), text);
  }
});

function createSite(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-site-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
