import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { test, type TestContext } from "node:test";
import { signUp, startApp } from "../../../server/test/support/app.ts";
import { ON_ONE_DATABASE } from "../../../server/test/support/database.ts";
import { startTcpProxy } from "../../../server/test/support/tcp-proxy.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import {
  NO_TERMINAL,
  startOnTerminal,
  startTocsin,
  waitForExit,
  waitForOutput,
} from "../tocsin.fixture.ts";

const CTRL_C = "\u0003";
const SHIFT_UP = "\u001b[a";

/** Starts a server with an account, and returns the environment of `tocsin watch`. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { id: tokenId, token } = await ann.client.accessTokens.create({ label: "watch" });
  const home = await createTemporaryFolder(t);
  const environment = {
    TOCSIN_URL: app.url,
    TOCSIN_ACCESS_TOKEN: token,
    XDG_CONFIG_HOME: home,
    NO_COLOR: "1",
  };
  const open = async (title: string) => {
    const { incidentId } = await ann.client.notify({ title, body: "", incidentKey: title });
    return incidentId ?? assert.fail();
  };
  const getStates = async () =>
    Object.fromEntries(
      (await ann.client.incidents.list()).items.map(({ title, state }) => [title, state]),
    );
  return { app, ann, tokenId, environment, open, getStates };
}

function killAfterTest(t: TestContext, child: ChildProcess): ChildProcess {
  t.after(() => child.kill("SIGKILL"));
  return child;
}

test(
  "on a terminal, the key a acknowledges the newest open incident, and other keys do nothing",
  { ...ON_ONE_DATABASE, skip: NO_TERMINAL },
  async (t) => {
    const { ann, environment, open, getStates } = await setUp(t);
    const options = { environment, keepsInput: true, afterwards: "stty -a" };
    const child = killAfterTest(t, startOnTerminal(["watch"], options));
    await waitForOutput(child.stdout, "a acknowledges the newest open incident, Ctrl-C ends.");
    child.stdin?.write("a");
    await waitForOutput(child.stdout, "No incident here waits to be acknowledged.");
    const takenId = await open("Taken");
    await open("Old");
    await open("New");
    await waitForOutput(child.stdout, "[triggered] New");
    await ann.client.incidents.acknowledge(takenId);
    for (const keys of ["x", SHIFT_UP, "banana"]) {
      child.stdin?.write(keys);
      await ann.client.notify({ title: `Note ${keys.length}`, body: "" });
      await waitForOutput(child.stdout, `Note ${keys.length}`);
    }
    await open("Last");
    await waitForOutput(child.stdout, "[triggered] Last");
    child.stdin?.write("a");
    await waitForOutput(child.stdout, "Last: The incident is acknowledged.");
    const states = { Taken: "acknowledged", Old: "triggered", New: "triggered" };
    assert.deepEqual(await getStates(), { ...states, Last: "acknowledged" });
    child.stdin?.write("aa");
    await waitForOutput(child.stdout, "Old: The incident is acknowledged.");
    child.stdin?.write("a");
    await waitForOutput(child.stdout, "No incident here waits to be acknowledged.");

    child.stdin?.write(CTRL_C);
    const settings = await waitForOutput(child.stdout, "echoke");
    assert.match(settings, /\sicanon\s/);
    assert.match(settings, /\secho\s/);
  },
);

test(
  "on a terminal, watch exits with code 3 if its token is revoked",
  { ...ON_ONE_DATABASE, skip: NO_TERMINAL },
  async (t) => {
    const { app, ann, tokenId, environment } = await setUp(t);
    const proxy = await startTcpProxy(t, Number(new URL(app.url).port));
    const TOCSIN_URL = `http://127.0.0.1:${proxy.port}`;
    const options = { environment: { ...environment, TOCSIN_URL }, keepsInput: true };
    const child = killAfterTest(t, startOnTerminal(["watch"], options));
    await waitForOutput(child.stdout, "Ctrl-C ends.");
    const exited = waitForExit(child);
    await ann.client.accessTokens.remove(tokenId);
    proxy.closeConnections();
    assert.equal((await exited).code, 3);
  },
);

test(
  "without a terminal, the letter a on standard input acknowledges nothing",
  ON_ONE_DATABASE,
  async (t) => {
    const { environment, open, getStates } = await setUp(t);
    const child = killAfterTest(t, startTocsin(["watch"], { environment, keepsInput: true }));
    assert.doesNotMatch(await waitForOutput(child.stderr, "Connected to"), /acknowledges/);
    await open("Disk");
    await waitForOutput(child.stdout, "[triggered] Disk");
    child.stdin?.write("a");
    await open("Later");
    await waitForOutput(child.stdout, "[triggered] Later");
    assert.deepEqual(await getStates(), { Disk: "triggered", Later: "triggered" });
  },
);
