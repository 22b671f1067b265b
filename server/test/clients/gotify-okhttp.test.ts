import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import test, { type TestContext } from "node:test";
import { findOkHttp } from "../../../scripts/okhttp-client.ts";
import { createGotifySignIn } from "../support/add-gotify-app.ts";
import { signUp, startApp } from "../support/app.ts";
import { findProgram, runProgram, throwInCi } from "../support/program.ts";

const PROGRAM = fileURLToPath(new URL("GotifyApp.java", import.meta.url));

/** Starts a server on which Ann has an API key, and runs an app on the network library of Gotify's Android app. */
async function setUp(t: TestContext, classPath: string) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { key } = await ann.client.keys.create({ kind: "account", dialect: "gotify" });
  const toJavaArguments = (...args: string[]) => ["-cp", classPath, PROGRAM, ...args];
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProgram("java", toJavaArguments(...args));
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  /** Starts the app, whose last message has this id; 0 if it has none. */
  const listen = (token: string, lastId: number) => {
    const args = toJavaArguments("listen", app.url, token, String(lastId));
    const child = spawn("java", args, { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    const lines: string[] = [];
    const reader = createInterface({ input: child.stdout });
    reader.on("line", (line) => lines.push(line));
    const waitFor = async (isDone: () => boolean) => {
      while (!isDone()) await once(reader, "line");
    };
    const kill = async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    };
    return { lines, waitFor, kill };
  };
  const send = async (count: number) => {
    for (let number = 0; number < count; number += 1) {
      const body = JSON.stringify({ message: `message ${number}` });
      const headers = { "x-gotify-key": key, "content-type": "application/json" };
      const response = await fetch(`${app.url}/message`, { method: "POST", headers, body });
      assert.equal(response.status, 200);
    }
  };
  const readStates = async () => {
    const { items } = await ann.client.feed.list({ limit: 50 });
    const requests = items.map(async ({ id }) => (await ann.client.feed.deliveries(id)).items);
    return (await Promise.all(requests)).flat().map(({ state }) => state);
  };
  return { app, ann, run, listen, send, readStates };
}

function selectIds(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line) => /^(?:message|missed) (\d+)$/.exec(line)?.[1] ?? []).map(Number);
}

test("an app on OkHttp that is killed gets the missed messages at its next start, and no message twice", async (t) => {
  const classPath = findOkHttp();
  if (classPath === null || findProgram("java") === null)
    return t.skip(throwInCi("needs Java and OkHttp: npm run okhttp-client"));
  const { app, ann, run, listen, send, readStates } = await setUp(t, classPath);
  const { email, code } = await createGotifySignIn(app, "Ann");
  const token = (await run("sign-in", app.url, email, code)).replace("token ", "");
  assert.match(token, /^C[\w-]{43}$/);
  assert.equal((await ann.client.devices.list()).items[0]?.name, "Pixel 9");
  const first = listen(token, 0);
  await first.waitFor(() => first.lines.includes("open"));
  await send(10);
  await first.waitFor(() => selectIds(first.lines).length === 10);
  await first.kill();
  const seen = selectIds(first.lines);
  await send(5);
  const second = listen(token, Math.max(...seen));
  await second.waitFor(() => selectIds(second.lines).length === 5);
  // The stream would have written a repeated message before this one.
  await send(1);
  await second.waitFor(() => selectIds(second.lines).includes(16));
  const all = [...seen, ...selectIds(second.lines)].toSorted((one, other) => one - other);
  assert.deepEqual(
    all,
    Array.from({ length: 16 }, (_, index) => index + 1),
  );
  while ((await readStates()).some((state) => state !== "accepted")) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal((await readStates()).length, 16);
  assert.equal(await run("sign-out", app.url, token), "signed out 401");
  await second.waitFor(() => second.lines.some((line) => line.startsWith("failure")));
  assert.deepEqual((await ann.client.devices.list()).items, []);
});
