import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test, type TestContext } from "node:test";
import { listen } from "../../../server/test/doubles/listen.ts";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { eventually } from "../../../server/test/support/eventually.ts";
import { startTocsin, runTocsin, waitForExit } from "../tocsin.fixture.ts";

/** Starts a server with an account and one device. `start` runs `tocsin ask` with the API key. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const environment = { TOCSIN_URL: app.url, TOCSIN_API_KEY: ann.key };
  const start = (...args: readonly string[]) => startTocsin(["ask", ...args], { environment });
  const run = (...args: readonly string[]) => runTocsin(["ask", ...args], { environment });
  const waitForPrompt = async (title: string) => {
    const items = await eventually(
      async () =>
        (await ann.client.prompts.list()).items.filter((prompt) => prompt.title === title),
      ({ length }) => length > 0,
    );
    assert.equal(items.length, 1);
    return items[0]?.id ?? assert.fail();
  };
  return { app, ann, phone, environment, start, run, waitForPrompt };
}

test("ask prints the answer, and its exit code tells the first choice from the others", async (t) => {
  const { ann, start, waitForPrompt } = await setUp(t);
  const cases = [
    { title: "first", answer: { choice: "yes" }, code: 0, stdout: "yes\n" },
    { title: "other", answer: { choice: "not now" }, code: 1, stdout: "not now\n" },
    {
      title: "text",
      answer: { text: "at\u009b2J 5\nor \u202e6" },
      code: 0,
      stdout: "at 2J 5 or 6\n",
    },
  ] as const;
  for (const { title, answer, code, stdout } of cases) {
    const child = start(title, "--choices", "yes, not now", "--text", "--wait", "10m");
    const exited = waitForExit(child);
    await ann.client.prompts.answer(await waitForPrompt(title), answer);
    assert.deepEqual(await exited, { code, stdout, stderr: "" });
  }
});

test("the output of ask contains no control characters, whatever the server sends", async (t) => {
  const answer = {
    choice: null,
    text: "a\u001b]0;b\u0007\u009b2J\u202e c\nd",
    at: "",
    via: "console",
  };
  const receipt = { state: "answered", answer, choices: [] };
  const sendResponse = { success: false, message: "e\u001b[2Jf", promptId: "p", responses: [] };
  const server = createServer(({ method }, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(method === "POST" ? sendResponse : receipt));
  });
  const port = await listen(server);
  t.after(() => server.close());
  const environment = {
    TOCSIN_URL: `http://127.0.0.1:${port}`,
    TOCSIN_API_KEY: "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b",
  };
  const plain = await runTocsin(["ask", "Why?", "--text"], { environment });
  assert.deepEqual(plain, { code: 0, stdout: "a ]0;b 2J  c d\n", stderr: "e [2Jf\n" });
  const json = await runTocsin(["ask", "Why?", "--text", "--json"], { environment });
  assert.doesNotMatch(json.stdout.replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u);
});

test("ask --json prints the receipt of the prompt, and the other options reach the server", async (t) => {
  const { ann, start, waitForPrompt } = await setUp(t);
  const waitHours = 3;
  const wait = ["--wait", `${waitHours}h`];
  const args = ["--choices", "yes,no", "--answers", "1", "--priority", "emergency", ...wait];
  const exited = waitForExit(start("Deploy?", "1.4.2", ...args, "--channel", "ci", "--json"));
  const id = await waitForPrompt("Deploy?");
  const { priority, channel, expiresAt, createdAt } = await ann.client.prompts.get(id);
  assert.deepEqual([priority, channel], ["emergency", "ci"]);
  const lifeMs = Date.parse(expiresAt) - Date.parse(createdAt);
  const toleranceMs = 5_000;
  assert.ok(Math.abs(lifeMs - waitHours * 3_600_000) < toleranceMs, String(lifeMs));
  await ann.client.prompts.answer(id, { choice: "no" });
  const { code, stdout } = await exited;
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout), await ann.client.askedPrompts.get(id));
});

test("ask withdraws the prompt when its time is over, and exits with 5", async (t) => {
  const { ann, run } = await setUp(t);
  const { code, stdout, stderr } = await run("Deploy?", "--choices", "yes,no", "--wait", "1s");
  assert.deepEqual([code, stdout], [5, ""]);
  assert.match(stderr, /^Nobody answered/);
  const [prompt] = (await ann.client.prompts.list()).items;
  assert.equal(prompt?.state, "cancelled");
});

test("Ctrl-C withdraws the prompt, and ask exits with 130", async (t) => {
  const { ann, start, waitForPrompt } = await setUp(t);
  const child = start("Deploy?", "--choices", "yes,no");
  const exited = waitForExit(child);
  const id = await waitForPrompt("Deploy?");
  child.kill("SIGINT");
  const { code, stdout } = await exited;
  assert.deepEqual([code, stdout], [130, ""]);
  assert.equal((await ann.client.prompts.get(id)).state, "cancelled");
});

test("a signal during the send withdraws the prompt once the command has the prompt's id", async (t) => {
  const { ann, phone, start, waitForPrompt } = await setUp(t);
  const deviceVerdict = Promise.withResolvers<void>();
  phone.script({ kind: "verdict", after: deviceVerdict.promise });
  const child = start("Deploy?", "--choices", "yes,no");
  const exited = waitForExit(child);
  // The send still waits for the device.
  const id = await waitForPrompt("Deploy?");
  child.kill("SIGTERM");
  const { code } = await exited;
  deviceVerdict.resolve();
  assert.equal(code, 143);
  assert.equal((await ann.client.prompts.get(id)).state, "cancelled");
});

test("ask names a wrong argument, and asks nobody", async (t) => {
  const { ann, run } = await setUp(t);
  const cases: readonly (readonly [message: RegExp, args: readonly string[]])[] = [
    [/TITLE/, ["--choices", "yes,no"]],
    [/--choices, or --text/, ["Deploy?"]],
    [/^--choices must have 2 to 6/, ["Deploy?", "--choices", "yes"]],
    [/^--choices must have 2 to 6/, ["Deploy?", "--choices", "yes,yes"]],
    [/^--answers must be a whole number/, ["Deploy?", "--choices", "a,b", "--answers", "21"]],
    [/^--wait must be a time/, ["Deploy?", "--choices", "a,b", "--wait", "25h"]],
    [/^--wait must be a time/, ["Deploy?", "--choices", "a,b", "--wait", "soon"]],
    [/^--group must be the id/, ["Deploy?", "--choices", "a,b", "--group", "my desk"]],
  ];
  for (const [message, args] of cases) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
  const refusedRun = await run("Deploy?", "--text", "--answers", "2");
  assert.equal(refusedRun.code, 3);
  assert.match(refusedRun.stderr, /answersNeeded needs choices/);
  assert.deepEqual((await ann.client.prompts.list()).items, []);
});

test("ask exits with 4 if no server answers, and with 3 if its key is refused", async (t) => {
  const { app, environment } = await setUp(t);
  const args = ["ask", "Deploy?", "--choices", "yes,no", "--wait", "1s"];
  const unknownKey = "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b";
  const wrongKeyRun = await runTocsin(args, {
    environment: { ...environment, TOCSIN_API_KEY: unknownKey },
  });
  assert.equal(wrongKeyRun.code, 3, wrongKeyRun.stderr);
  await app.app.stop();
  const stoppedServerRun = await runTocsin(args, { environment });
  assert.equal(stoppedServerRun.code, 4, stoppedServerRun.stderr);
  assert.match(stoppedServerRun.stderr, /does not answer/);
});
