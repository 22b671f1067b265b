import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import type { ChildProcess } from "node:child_process";
import { listen } from "../../../server/test/doubles/listen.ts";
import { signUp, startApp } from "../../../server/test/support/app.ts";
import { ON_ONE_DATABASE } from "../../../server/test/support/database.ts";
import { startTcpProxy } from "../../../server/test/support/tcp-proxy.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { waitForExit, waitForOutput, startTocsin, runTocsin } from "../tocsin.fixture.ts";

/**
 * Starts a server with an account and an access token. `watch` starts `tocsin watch` and waits until it is connected.
 */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { id: tokenId, token } = await ann.client.accessTokens.create({ label: "watch" });
  const home = await createTemporaryFolder(t);
  const environment = { TOCSIN_URL: app.url, TOCSIN_ACCESS_TOKEN: token, XDG_CONFIG_HOME: home };
  const watch = async (
    args: readonly string[] = [],
    overrides: Partial<typeof environment> = {},
  ) => {
    const child = startTocsin(["watch", ...args], {
      environment: { ...environment, ...overrides },
    });
    t.after(() => child.kill("SIGKILL"));
    await waitForOutput(child.stderr, "Connected to");
    return child;
  };
  return { app, ann, token, tokenId, home, environment, watch };
}

/** Returns the next lines of standard output. */
async function readLines(child: ChildProcess, count: number): Promise<readonly string[]> {
  assert.ok(child.stdout !== null);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (lines.push(line) === count) break;
  }
  return lines;
}

test(
  "watch prints each notification as a safe line, and exits with code 0 after Ctrl-C",
  ON_ONE_DATABASE,
  async (t) => {
    const { ann, watch } = await setUp(t);
    const child = await watch();
    const lines = readLines(child, 3);
    const link = "https://example.org/a";
    await ann.client.notify({ title: "Disk full", body: "/var\n99 %", channel: "alerts", link });
    await ann.client.notify({ title: "\u009b2J\u0085owned", body: "" });
    await ann.client.notify({ title: "", body: "é".repeat(300) });
    const [first = "", second = "", third = ""] = await lines;
    const timestamp = String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
    assert.match(first, new RegExp(`${timestamp} {2}alerts {2}Disk full: /var 99 % {2}<${link}>$`));
    assert.match(second, new RegExp(`${timestamp} {2}feed {2}2J owned$`));
    assert.match(third, new RegExp(`${timestamp} {2}feed {2}é{240}…$`));
    const exited = waitForExit(child);
    child.kill("SIGINT");
    assert.equal((await exited).code, 0);
  },
);

test(
  "watch --json prints feed items, one per line, and --channel filters them",
  ON_ONE_DATABASE,
  async (t) => {
    const { ann, watch } = await setUp(t);
    const child = await watch(["--json", "--channel", "alerts"]);
    const lines = readLines(child, 1);
    await ann.client.notify({ title: "Other", body: "" });
    const { notificationId } = await ann.client.notify({
      title: "Fire\u009b",
      body: "",
      channel: "alerts",
    });
    const [line = ""] = await lines;
    assert.ok(line.includes(String.raw`Fire\u009b`), line);
    assert.deepEqual(JSON.parse(line), await ann.client.feed.get(notificationId ?? ""));
  },
);

test("watch shows the state of an incident before its title", ON_ONE_DATABASE, async (t) => {
  const { ann, watch } = await setUp(t);
  const child = await watch();
  const lines = readLines(child, 2);
  const incident = { body: "", incidentKey: "disk" };
  await ann.client.notify({ ...incident, title: "Disk full" });
  await ann.client.notify({ ...incident, title: "Disk empty", incidentEvent: "resolve" });
  const texts = (await lines).map((line) => line.split("  ")[2]);
  assert.deepEqual(texts, ["[triggered] Disk full", "[resolved] Disk empty"]);
});

test("watch resumes a lost connection without gaps or duplicates", ON_ONE_DATABASE, async (t) => {
  const { app, ann, watch } = await setUp(t);
  const proxy = await startTcpProxy(t, Number(new URL(app.url).port));
  const child = await watch([], { TOCSIN_URL: `http://127.0.0.1:${proxy.port}` });
  const lines = readLines(child, 3);
  await ann.client.notify({ title: "Before", body: "" });
  const connectionLost = waitForOutput(child.stderr, "The connection is lost");
  proxy.closeConnections();
  await connectionLost;
  await ann.client.notify({ title: "Meanwhile", body: "" });
  await waitForOutput(child.stderr, "Connected to");
  await ann.client.notify({ title: "After", body: "" });
  const titles = (await lines).map((line) => line.split("  ")[2]);
  assert.deepEqual(titles, ["Before", "Meanwhile", "After"]);
});

test("watch exits with code 3 if its token is revoked", ON_ONE_DATABASE, async (t) => {
  const { app, ann, tokenId, watch } = await setUp(t);
  const proxy = await startTcpProxy(t, Number(new URL(app.url).port));
  const child = await watch([], { TOCSIN_URL: `http://127.0.0.1:${proxy.port}` });
  const exited = waitForExit(child);
  await ann.client.accessTokens.remove(tokenId);
  proxy.closeConnections();
  const { code, stderr } = await exited;
  assert.equal(code, 3);
  assert.match(stderr, /The server refused: Sign in/);
});

test("closing the output ends watch", ON_ONE_DATABASE, async (t) => {
  const { ann, watch } = await setUp(t);
  const child = await watch();
  const exited = waitForExit(child);
  child.stdout?.destroy();
  await ann.client.notify({ title: "Unread", body: "" });
  assert.equal((await exited).code, 0);
});

test(
  "watch uses the stored login, and sends its token to no other server",
  ON_ONE_DATABASE,
  async (t) => {
    const { app, ann, home } = await setUp(t);
    const environment = { XDG_CONFIG_HOME: home };
    const signedOut = await runTocsin(["watch"], { environment });
    assert.equal(signedOut.code, 2);
    assert.match(signedOut.stderr, /Nobody is signed in\. Run tocsin login/);
    const login = ["login", "--url", app.url, "--email", ann.email, "--password-stdin"];
    assert.equal((await runTocsin(login, { environment, input: "password of Ann\n" })).code, 0);
    chmodSync(join(home, "tocsin", "login.json"), 0o644);
    const child = startTocsin(["watch", "--url", `${app.url}/`], { environment });
    t.after(() => child.kill("SIGKILL"));
    assert.match(
      await waitForOutput(child.stderr, "Connected to"),
      /Others can read .*login\.json/,
    );
    const exited = waitForExit(child);
    child.kill("SIGTERM");
    assert.equal((await exited).code, 0);
    const otherServer = await runTocsin(["watch", "--url", "http://127.0.0.1:1"], { environment });
    assert.equal(otherServer.code, 2);
    assert.match(otherServer.stderr, /its token is sent to no other server/);
  },
);

test(
  "watch exits with code 4 for an unreachable server, and with 3 or 2 for an invalid token",
  ON_ONE_DATABASE,
  async (t) => {
    const { environment } = await setUp(t);
    const unreachable = { ...environment, TOCSIN_URL: "http://127.0.0.1:1" };
    assert.equal((await runTocsin(["watch"], { environment: unreachable })).code, 4);
    const unknownToken = { ...environment, TOCSIN_ACCESS_TOKEN: "tat_AAAAAAAAAAAAAAAAAAAAAAAAAAA" };
    const { code, stdout, stderr } = await runTocsin(["watch", "--json"], {
      environment: unknownToken,
    });
    assert.equal(code, 3);
    assert.equal(JSON.parse(stdout).error.code, "unauthenticated");
    assert.doesNotMatch(`${stdout}${stderr}`, /tat_/);
    const malformed = await runTocsin(["watch"], {
      environment: { ...environment, TOCSIN_ACCESS_TOKEN: "tat_…" },
    });
    assert.equal(malformed.code, 2);
    assert.match(malformed.stderr, /TOCSIN_ACCESS_TOKEN does not hold an access token/);
  },
);

test(
  "watch exits with code 1 and a remedy if the login file is invalid",
  ON_ONE_DATABASE,
  async (t) => {
    const home = await createTemporaryFolder(t);
    const file = join(home, "tocsin", "login.json");
    mkdirSync(dirname(file));
    for (const text of ["half a fi", "{}", '{"url":"x","token":"secret"}']) {
      writeFileSync(file, text);
      const environment = { XDG_CONFIG_HOME: home };
      const { code, stderr } = await runTocsin(["watch"], { environment });
      assert.equal(code, 1);
      assert.match(stderr, /login\.json does not hold a login\. Remove the file/);
      assert.doesNotMatch(stderr, /secret/);
    }
  },
);

test(
  "watch prints a notification once, even if the stream repeats it",
  ON_ONE_DATABASE,
  async (t) => {
    const item = { channel: "feed", body: "", link: null, createdAt: "2026-11-22T16:40:01.000Z" };
    const formatEvent = (id: string) =>
      `event: notification\ndata: ${JSON.stringify({ ...item, id, title: `Title ${id}` })}\n\n`;
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        `${formatEvent("1")}${formatEvent("2")}${formatEvent("1")}${formatEvent("3")}`,
      );
    });
    const TOCSIN_URL = `http://127.0.0.1:${await listen(server)}`;
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const environment = { TOCSIN_URL, TOCSIN_ACCESS_TOKEN: "tat_AAAAAAAAAAAAAAAAAAAAAAAAAAA" };
    const child = startTocsin(["watch"], { environment });
    t.after(() => child.kill("SIGKILL"));
    const titles = (await readLines(child, 3)).map((line) => line.split("  ")[2]);
    assert.deepEqual(titles, ["Title 1", "Title 2", "Title 3"]);
  },
);
