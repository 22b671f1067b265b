import assert from "node:assert/strict";
import { test } from "node:test";
import { ON_OWN_TABLES } from "../../../server/test/support/database.ts";
import { MAIL_PASSWORD, startSurroundings } from "../../../server/test/support/surroundings.ts";
import { temporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import type { Terminal } from "../terminal.ts";
import { ended, NO_TERMINAL, startOnTerminal, tocsin } from "../tocsin.fixture.ts";
import { createDoctor } from "./doctor.ts";

/** Runs `tocsin doctor` in this process with the test's servers, and returns its output. */
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
    outputClosed: new AbortController().signal,
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
  "doctor prints one line per check, and warnings are exit code 0",
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

test("a failed check is exit code 1, and --json prints one document", async (test) => {
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

test("an invalid configuration is exit code 1, with every problem listed", async (test) => {
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

test("a terminal shows colours unless NO_COLOR is set", { skip: NO_TERMINAL }, async (test) => {
  const cwd = await temporaryFolder(test);
  const environment = { TOCSIN_PORT: "a", TERM: "xterm" };
  const coloured = await ended(startOnTerminal(["doctor"], { environment, cwd }));
  assert.ok(coloured.stdout.includes("\u001b[31mfail"), coloured.stdout);
  assert.ok(coloured.stdout.includes("\u001b[33mwarn"));
  const environmentWithoutColour = { ...environment, NO_COLOR: "1" };
  const uncoloured = await ended(
    startOnTerminal(["doctor"], { environment: environmentWithoutColour, cwd }),
  );
  assert.ok(!uncoloured.stdout.includes("\u001b["));
});

test("an unknown option is wrong usage", async () => {
  const { code, stdout, stderr } = await tocsin(["doctor", "--fast"]);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /See tocsin doctor --help/);
});
