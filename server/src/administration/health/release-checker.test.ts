import assert from "node:assert/strict";
import { createServer } from "node:http";
import test, { type TestContext } from "node:test";
import { closeHttpServer, listen, LOOPBACK } from "../../../test/doubles/listen.ts";
import { ReleaseChecker } from "./release-checker.ts";

const RELEASE_PAGE_URL = "https://example.org/releases/latest";
const DAY_MS = 24 * 60 * 60_000;

/** Starts a release server whose response the test sets. */
async function startReleaseServer(t: TestContext, version = "1.9.0") {
  const state = {
    requestCount: 0,
    status: 200,
    body: JSON.stringify({ tag_name: "v1.10.0", html_url: RELEASE_PAGE_URL }),
  };
  const server = createServer((_, response) => {
    state.requestCount += 1;
    response.writeHead(state.status).end(state.body);
  });
  const port = await listen(server);
  t.after(() => closeHttpServer(server));
  let time = 0;
  const url = `http://${LOOPBACK}:${port}/latest`;
  const checker = new ReleaseChecker({ url, version, elapsed: () => time });
  return { state, url, checker, advance: (ms: number) => (time += ms) };
}

test("a newer release is reported with its page, and the check runs once a day", async (t) => {
  const { state, checker, advance } = await startReleaseServer(t);
  const expected = {
    subject: "version",
    status: "warn",
    message: "Tocsin 1.10.0 is available; this server runs 1.9.0.",
    mend: `Read what changed, then update: ${RELEASE_PAGE_URL}`,
  };
  assert.deepEqual(await checker.examine(), expected);
  advance(DAY_MS - 1);
  assert.deepEqual(await checker.examine(), expected);
  assert.equal(state.requestCount, 1);
  advance(1);
  state.body = JSON.stringify({ tag_name: "1.9.0", html_url: RELEASE_PAGE_URL });
  const { status, message } = await checker.examine();
  assert.deepEqual([status, message], ["ok", "Tocsin 1.9.0 is the newest version."]);
});

test("a server that is newer than the latest release reports no update", async (t) => {
  const { checker } = await startReleaseServer(t, "2.0.0");
  assert.equal((await checker.examine()).status, "ok");
});

test("an invalid response is reported without its content, and not cached", async (t) => {
  const { state, url, checker } = await startReleaseServer(t);
  const release = state.body;
  for (const body of [
    "",
    "{}",
    "[1]",
    JSON.stringify({ tag_name: "2.0.0-rc.1", html_url: RELEASE_PAGE_URL }),
    JSON.stringify({ tag_name: "2.0.0", html_url: "javascript:alert(1)" }),
    `"${"x".repeat(2_000_000)}"`,
  ]) {
    state.body = body;
    const { status, message, mend } = await checker.examine();
    assert.deepEqual(
      [status, message],
      ["warn", `${url} does not say which version is the newest.`],
    );
    assert.match(mend ?? "", /TOCSIN_RELEASES_URL/);
  }
  state.body = release;
  state.status = 500;
  assert.match((await checker.examine()).message, /does not say/);
  state.status = 200;
  assert.match((await checker.examine()).message, /1\.10\.0 is available/);
});
