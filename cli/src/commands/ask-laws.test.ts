import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test, type TestContext } from "node:test";
import type { AnswerInput } from "@tocsin/sdk";
import { listen } from "../../../server/test/doubles/listen.ts";
import {
  addDevice,
  signUp,
  startApp,
  type TestApp,
  type TestDevice,
  type TestPerson,
} from "../../../server/test/support/app.ts";
import { ON_ONE_DATABASE } from "../../../server/test/support/database.ts";
import { eventually } from "../../../server/test/support/eventually.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { startTcpProxy, type TcpProxy } from "../../../server/test/support/tcp-proxy.ts";
import { startTocsin, waitForExit, type RunResult } from "../tocsin.fixture.ts";

/** A campaign sets this variable to send 100 prompts. */
const IS_LONG = process.env["TOCSIN_TEST_LONG_LAWS"] !== undefined;
const ROUND_COUNT = IS_LONG ? 10 : 1;
const PROMPTS_PER_ROUND = IS_LONG ? 10 : 3;

/** The answers, with the exit code and the output that each must have. */
const ANSWERS: readonly (readonly [answer: AnswerInput, code: number, stdout: string])[] = [
  [{ choice: "yes" }, 0, "yes\n"],
  [{ choice: "no" }, 1, "no\n"],
  [{ text: "after lunch" }, 0, "after lunch\n"],
];

/** A server that can be restarted on its port, behind a proxy that can drop connections. */
interface Site {
  readonly ann: TestPerson;
  readonly phone: TestDevice["phone"];
  readonly proxy: TcpProxy;
  /** The ids of the prompts whose answers a command has waited for. */
  readonly polledIds: ReadonlySet<string>;
  readonly environment: Readonly<Record<string, string>>;
  /** Stops the server, and starts it again once this many connections were refused. */
  restart(refusedCount: number): Promise<void>;
}

async function startSite(t: TestContext): Promise<Site> {
  const port = await findFreePort();
  const environment = { TOCSIN_PORT: String(port) };
  let app: TestApp = await startApp(t, { environment, isSingleProcess: true });
  const polledIds = new Set<string>();
  const recordPolls = () =>
    app.app.server.server.on("request", ({ url = "" }) => {
      const [, id] = /^\/api\/v1\/prompts\/([\w-]+)\?wait=/.exec(url) ?? [];
      if (id !== undefined) polledIds.add(id);
    });
  recordPolls();
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const proxy = await startTcpProxy(t, port);
  return {
    ann,
    phone,
    proxy,
    polledIds,
    environment: { TOCSIN_URL: `http://127.0.0.1:${proxy.port}`, TOCSIN_API_KEY: ann.key },
    async restart(refusedCount) {
      const { dataDir, push } = app;
      await app.app.stop();
      await refuseConnections(port, refusedCount);
      app = await startApp(t, { environment, dataDir, push, isSingleProcess: true });
      recordPolls();
    },
  };
}

/** More than the client's own retries of a request, so that the command itself must retry it. */
const REFUSED_PER_COMMAND = 5;

/** Closes every connection to a port until there were `count` of them. */
async function refuseConnections(port: number, count: number): Promise<void> {
  let refusedCount = 0;
  const server = createServer((socket) => {
    refusedCount += 1;
    socket.destroy();
  });
  await listen(server, port);
  await eventually(
    async () => refusedCount,
    (refused) => refused >= count,
    { limitMs: 60_000 },
  );
  server.close();
  await once(server, "close");
}

async function waitForPrompts({ ann }: Site, titles: readonly string[]) {
  const listAsked = async () => {
    const { items } = await ann.client.prompts.list({ limit: 200 });
    return items.filter(({ title }) => titles.includes(title));
  };
  const prompts = await eventually(listAsked, ({ length }) => length >= titles.length);
  // A retried send must not create a second prompt.
  assert.deepEqual(prompts.map(({ title }) => title).toSorted(), titles.toSorted());
  return new Map(prompts.map(({ title, id }) => [title, id]));
}

/** Sends prompts. The faults come twice: before the response to the send, and while the commands wait for answers. */
async function askThroughFaults(site: Site, round: number): Promise<void> {
  const titles = Array.from({ length: PROMPTS_PER_ROUND }, (_, index) => `${round}-${index}`);
  // Each send waits for the device, so the connection is lost before the response.
  const deviceVerdict = Promise.withResolvers<void>();
  site.phone.script(
    ...titles.map(() => ({ kind: "verdict", after: deviceVerdict.promise }) as const),
  );
  const runs = titles.map((title) => {
    const args = ["ask", title, "--choices", "yes,no", "--text", "--wait", "2m"];
    return waitForExit(startTocsin(args, { environment: site.environment }));
  });
  const ids = await waitForPrompts(site, titles);
  site.proxy.closeConnections();
  deviceVerdict.resolve();
  await site.restart(titles.length * REFUSED_PER_COMMAND);
  await eventually(
    async () => [...ids.values()].filter((id) => site.polledIds.has(id)).length,
    (polledCount) => polledCount === titles.length,
    { limitMs: 60_000 },
  );
  // Once more, while the commands wait for the answers.
  site.proxy.closeConnections();
  await site.restart(titles.length * REFUSED_PER_COMMAND);
  await waitForPrompts(site, titles);
  for (const [index, title] of titles.entries()) {
    const [answer] = ANSWERS[index % ANSWERS.length] ?? assert.fail();
    await site.ann.client.prompts.answer(ids.get(title) ?? "", answer);
  }
  const results = await Promise.all(runs);
  const expected = titles.map((_, index): RunResult => {
    const [, code, stdout] = ANSWERS[index % ANSWERS.length] ?? assert.fail();
    return { code, stdout, stderr: "" };
  });
  const withoutNotes = results.map((result) => ({ ...result, stderr: "" }));
  assert.deepEqual(withoutNotes, expected, JSON.stringify(results));
  await waitForPrompts(site, titles);
}

test(
  // Law W2 of docs/promises.md.
  "W2: ask returns the right answer and exit code despite lost connections and restarts of the server",
  ON_ONE_DATABASE,
  async (t) => {
    const site = await startSite(t);
    for (let round = 0; round < ROUND_COUNT; round += 1) await askThroughFaults(site, round);
  },
);
