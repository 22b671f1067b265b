import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { test, type TestContext } from "node:test";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { eventually } from "../../../server/test/support/eventually.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { NO_TERMINAL, waitForExit, waitForOutput } from "../tocsin.fixture.ts";

/** A deployment that waits for approval, as a user would write it. */
const DEPLOY = 'tocsin ask "Deploy 1.4.2?" --choices yes,no --text --wait 5m && echo deployed';

/** Starts a server. `start` runs a command that finds the real program as `tocsin` in its `PATH`. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const folder = await createTemporaryFolder(t);
  const program = join(folder, "tocsin");
  const main = join(import.meta.dirname, "../main.ts");
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await chmod(program, 0o755);
  const path = [folder, process.env["PATH"]].join(delimiter);
  const start = (
    [command = "", ...args]: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ) => {
    const variables = { TOCSIN_URL: app.url, TOCSIN_API_KEY: ann.key, ...environment };
    const child = spawn(command, args, { env: { PATH: path, ...variables } });
    t.after(() => child.kill("SIGKILL"));
    return child;
  };
  const listOpen = async () => (await ann.client.prompts.list({ state: "open" })).items;
  const waitForPrompt = async () => {
    const [prompt] = await eventually(listOpen, ({ length }) => length > 0);
    return prompt?.id ?? assert.fail();
  };
  return { app, ann, start, waitForPrompt };
}

test("a shell script continues after the first choice or a text, not after another choice or a withdrawal", async (t) => {
  const { ann, start, waitForPrompt } = await setUp(t);
  for (const [answer, code, stdout] of [
    [{ choice: "yes" }, 0, "yes\ndeployed\n"],
    [{ text: "if $(reboot); `ls` \u001b]0;x\u0007" }, 0, "if $(reboot); `ls` ]0;x\ndeployed\n"],
    [{ choice: "no" }, 1, "no\n"],
  ] as const) {
    const exited = waitForExit(start(["sh", "-c", DEPLOY]));
    await ann.client.prompts.answer(await waitForPrompt(), answer);
    assert.deepEqual(await exited, { code, stdout, stderr: "" });
  }
  const withdrawn = waitForExit(start(["sh", "-c", DEPLOY]));
  await ann.client.askedPrompts.cancel(await waitForPrompt());
  const { code, stdout } = await withdrawn;
  assert.deepEqual([code, stdout], [5, ""]);
});

test("a shell script stops if nobody answers, or if tocsin ask fails", async (t) => {
  const { app, start } = await setUp(t);
  const run = async (script: string, environment: Readonly<Record<string, string>> = {}) => {
    const { code, stdout } = await waitForExit(start(["sh", "-c", script], environment));
    return [code, stdout] as const;
  };
  const impatientScript = DEPLOY.replace("5m", "1s");
  assert.deepEqual(await run(impatientScript), [5, ""]);
  assert.deepEqual(await run(DEPLOY.replace("yes,no", "yes")), [2, ""]);
  const unknownKey = { TOCSIN_API_KEY: "4b0e9d3c-5a7e-4f6b-9a51-0c2d4e6f8a1b" };
  assert.deepEqual(await run(DEPLOY, unknownKey), [3, ""]);
  await app.app.stop();
  assert.deepEqual(await run(impatientScript), [4, ""]);
  // With `set -e` instead of `&&`, the failed command also ends the script.
  assert.deepEqual(await run(`set -e\n${impatientScript.replace("&& ", "\n")}`), [4, ""]);
});

test(
  "Ctrl-C in a terminal withdraws the prompt, and the script stops",
  { skip: NO_TERMINAL },
  async (t) => {
    const { ann, start, waitForPrompt } = await setUp(t);
    const child = start(["script", "--quiet", "--return", "--command", DEPLOY, "/dev/null"]);
    await waitForOutput(child.stdout, "Ctrl-C withdraws the question.");
    const id = await waitForPrompt();
    const exited = waitForExit(child);
    child.stdin.write("\u0003");
    const { code, stdout } = await exited;
    assert.equal(code, 130);
    assert.ok(!stdout.includes("deployed"), stdout);
    assert.equal((await ann.client.prompts.get(id)).state, "cancelled");
  },
);
