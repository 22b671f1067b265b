import assert from "node:assert/strict";
import { test } from "node:test";
import { ON_CURRENT_SCHEMA } from "../../../server/test/support/database.ts";
import {
  MAIL_PASSWORD,
  startLocalDeployment,
} from "../../../server/test/support/local-deployment.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import type { Terminal } from "../terminal.ts";
import { waitForExit, NO_TERMINAL, startOnTerminal, runTocsin } from "../tocsin.fixture.ts";
import { createDoctor } from "./doctor.ts";

/** Runs `tocsin doctor` in this process with the test's servers, and returns its output. */
async function runWith(
  args: readonly string[],
  {
    environment,
    networkOverrides,
  }: Pick<Awaited<ReturnType<typeof startLocalDeployment>>, "environment" | "networkOverrides">,
) {
  const lines: string[] = [];
  const documents: unknown[] = [];
  const terminal: Terminal = {
    print: (line = "") => void lines.push(line),
    printJsonLine() {},
    outputClosed: new AbortController().signal,
    columns: null,
    showProgress() {},
    printJson: (document) => void documents.push(document),
    printNote: (line) => void lines.push(line),
    style: (_style, text) => text,
  };
  Object.assign(process.env, environment);
  const code = await createDoctor(networkOverrides)(args, terminal);
  for (const name of Object.keys(environment)) delete process.env[name];
  return { code, text: lines.join("\n"), documents };
}

test(
  "doctor prints one line per check, and exits with code 0 despite warnings",
  ON_CURRENT_SCHEMA,
  async (t) => {
    const { code, text, documents } = await runWith([], await startLocalDeployment(t));
    assert.equal(code, 0, text);
    assert.match(text, /^ok    configuration    \S/);
    assert.match(text, /^warn  base URL         .*\n {23}Set TOCSIN_BASE_URL/m);
    assert.match(text, /^ok    mail             .* accepts the login\.$/m);
    assert.match(text, /\n\n15 ok, 2 warn, 0 fail$/);
    assert.doesNotMatch(text, new RegExp(MAIL_PASSWORD));
    assert.deepEqual(documents, []);
  },
);

test("doctor --json prints one document, and exits with code 1 only if a check fails", async (t) => {
  const deployment = await startLocalDeployment(t);
  await deployment.mail.close();
  const { code, text, documents } = await runWith(["--json"], deployment);
  assert.deepEqual([code, text, documents.length], [1, "", 1]);
  const { success, checks } = JSON.parse(JSON.stringify(documents[0]));
  assert.equal(success, false);
  const mail = checks.at(-1);
  assert.deepEqual(Object.keys(mail), ["subject", "status", "message", "mend"]);
  assert.deepEqual([mail.subject, mail.status], ["mail", "fail"]);
  assert.match(mail.mend, /TOCSIN_SMTP_URL/);
  const healthy = await runWith(["--json"], await startLocalDeployment(t));
  const [document] = JSON.parse(JSON.stringify(healthy.documents));
  assert.deepEqual([healthy.code, document.success], [0, true]);
});

test("doctor exits with code 1 if the configuration is invalid, and lists every problem", async (t) => {
  const environment = { TOCSIN_PORT: "a", TOCSIN_SMTP_URL: "smtp//ops:secret@host" };
  const cwd = await createTemporaryFolder(t);
  const { code, stdout, stderr } = await runTocsin(["doctor"], { environment, cwd });
  assert.deepEqual([code, stderr], [1, ""]);
  assert.match(
    stdout,
    /^fail  configuration    TOCSIN_PORT[^]*TOCSIN_SMTP_URL[^]*TOCSIN_MAIL_FROM/,
  );
  assert.match(stdout, /^warn  other checks     Nothing else was checked/m);
  assert.doesNotMatch(stdout, /secret/);
  assert.ok(!stdout.includes("\u001b"));
});

test("a terminal shows colours unless NO_COLOR is set", { skip: NO_TERMINAL }, async (t) => {
  const cwd = await createTemporaryFolder(t);
  const environment = { TOCSIN_PORT: "a", TERM: "xterm" };
  const coloured = await waitForExit(startOnTerminal(["doctor"], { environment, cwd }));
  assert.ok(coloured.stdout.includes("\u001b[31mfail"), coloured.stdout);
  assert.ok(coloured.stdout.includes("\u001b[33mwarn"));
  const environmentWithoutColour = { ...environment, NO_COLOR: "1" };
  const uncoloured = await waitForExit(
    startOnTerminal(["doctor"], { environment: environmentWithoutColour, cwd }),
  );
  assert.ok(!uncoloured.stdout.includes("\u001b["));
});

test("an unknown option is wrong usage", async () => {
  const { code, stdout, stderr } = await runTocsin(["doctor", "--fast"]);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /See tocsin doctor --help/);
});
