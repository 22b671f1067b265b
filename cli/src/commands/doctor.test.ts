import assert from "node:assert/strict";
import { test } from "node:test";
import { ON_OWN_TABLES } from "../../../server/test/support/database.ts";
import { MAIL_PASSWORD, startSurroundings } from "../../../server/test/support/surroundings.ts";
import { temporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import type { Terminal } from "../terminal.ts";
import { ended, NO_TERMINAL, startOnTerminal, tocsin } from "../tocsin.fixture.ts";
import { createDoctor } from "./doctor.ts";

/** Runs the command in this process, with the test's own servers; returns its output. */
async function runWith(
  args: readonly string[],
  {
    environment,
    seams,
  }: Pick<Awaited<ReturnType<typeof startSurroundings>>, "environment" | "seams">,
) {
  const lines: string[] = [];
  const documents: unknown[] = [];
  const terminal: Terminal = {
    print: (line = "") => void lines.push(line),
    printJsonLine() {},
    readerGone: new AbortController().signal,
    columns: null,
    progress() {},
    printJson: (document) => void documents.push(document),
    note: (line) => void lines.push(line),
    style: (_style, text) => text,
  };
  Object.assign(process.env, environment);
  const code = await createDoctor(seams)(args, terminal);
  for (const name of Object.keys(environment)) delete process.env[name];
  return { code, text: lines.join("\n"), documents };
}

test(
  "a healthy server is reported line by line, and warnings are no failure",
  ON_OWN_TABLES,
  async (test) => {
    const { code, text, documents } = await runWith([], await startSurroundings(test));
    assert.equal(code, 0, text);
    assert.match(text, /^ok    configuration    \S/);
    assert.match(text, /^warn  base URL         .*\n {23}Set TOCSIN_BASE_URL/m);
    assert.match(text, /^ok    mail             .* accepts the login\.$/m);
    assert.match(text, /\n\n14 ok, 2 warn, 0 fail$/);
    assert.doesNotMatch(text, new RegExp(MAIL_PASSWORD));
    assert.deepEqual(documents, []);
  },
);

test("one failure is exit code 1, for programs in one document", async (test) => {
  const surroundings = await startSurroundings(test);
  await surroundings.mail.close();
  const { code, text, documents } = await runWith(["--json"], surroundings);
  assert.deepEqual([code, text, documents.length], [1, "", 1]);
  const { success, checks } = JSON.parse(JSON.stringify(documents[0]));
  assert.equal(success, false);
  const mail = checks.at(-1);
  assert.deepEqual(Object.keys(mail), ["subject", "status", "message", "mend"]);
  assert.deepEqual([mail.subject, mail.status], ["mail", "fail"]);
  assert.match(mail.mend, /TOCSIN_SMTP_URL/);
  const healthy = await runWith(["--json"], await startSurroundings(test));
  const [document] = JSON.parse(JSON.stringify(healthy.documents));
  assert.deepEqual([healthy.code, document.success], [0, true]);
});

test("an invalid configuration is exit code 1 with every problem", async (test) => {
  const environment = { TOCSIN_PORT: "a", TOCSIN_SMTP_URL: "smtp//ops:secret@host" };
  const cwd = await temporaryFolder(test);
  const { code, stdout, stderr } = await tocsin(["doctor"], { environment, cwd });
  assert.deepEqual([code, stderr], [1, ""]);
  assert.match(
    stdout,
    /^fail  configuration    TOCSIN_PORT[^]*TOCSIN_SMTP_URL[^]*TOCSIN_MAIL_FROM/,
  );
  assert.match(stdout, /^warn  other checks     Base URL, TLS, clock/m);
  assert.doesNotMatch(stdout, /secret/);
  assert.ok(!stdout.includes("\u001b"));
});

test("a terminal shows colours, unless it is asked not to", { skip: NO_TERMINAL }, async (test) => {
  const cwd = await temporaryFolder(test);
  const environment = { TOCSIN_PORT: "a", TERM: "xterm" };
  const shown = await ended(startOnTerminal(["doctor"], { environment, cwd }));
  assert.ok(shown.stdout.includes("\u001b[31mfail"), shown.stdout);
  assert.ok(shown.stdout.includes("\u001b[33mwarn"));
  const plain = { ...environment, NO_COLOR: "1" };
  const bare = await ended(startOnTerminal(["doctor"], { environment: plain, cwd }));
  assert.ok(!bare.stdout.includes("\u001b["));
});

test("arguments are wrong usage", async () => {
  const { code, stdout, stderr } = await tocsin(["doctor", "--fast"]);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /See tocsin doctor --help/);
});
