import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import { ROOT } from "../../../scripts/files.ts";
import { parseCodeBlocks } from "../../../scripts/snippets/code-blocks.ts";
import { insertCallbackQuery } from "#callbacks/store/outbox.ts";
import { generateCallbackSecret, signCallback } from "#callbacks/sign.ts";
import { signUp, startApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { findFreePort } from "../support/free-port.ts";
import { isInstalledOrSkip } from "../support/program.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { isPortOpen, LOOPBACK } from "../doubles/listen.ts";

const PAGE = "docs/callbacks.md";

/** The receivers of the page: their languages, commands and files. */
const RECEIVERS = [
  { language: "js", command: process.execPath, file: "receiver.mjs" },
  { language: "python", command: "python3", file: "receiver.py" },
] as const;

/** An age above the five minutes that the receivers accept. */
const TOO_OLD_MS = 400_000;

/** Starts a receiver of the page; it ends with the test. Returns a function that reads the next line it prints. */
async function startReceiver(
  t: TestContext,
  { language, command, file }: (typeof RECEIVERS)[number],
  { port, secret }: { readonly port: number; readonly secret: string },
): Promise<() => Promise<string>> {
  const blocks = parseCodeBlocks(PAGE, readFileSync(join(ROOT, PAGE), "utf8"));
  const program = blocks.find((block) => block.language === language)?.text ?? "";
  const path = join(await createTemporaryFolder(t), file);
  await writeFile(path, program);
  const env = { PATH: process.env["PATH"], PORT: String(port), CALLBACK_SECRET: secret };
  const child = spawn(command, [path], { env, stdio: ["ignore", "pipe", "inherit"] });
  t.after(async () => {
    const closed = once(child, "close");
    if (child.kill()) await closed;
  });
  await eventually(
    () => isPortOpen(port),
    (isOpen) => isOpen,
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => String((await lines.next()).value);
}

/** Posts `body` with the signature of the body `{}` at `sentAt`, and returns the status. */
async function post(
  url: string,
  { secret, body, sentAt }: { secret: string; body: string; sentAt: number },
): Promise<number> {
  const headers = signCallback({ id: "1", body: "{}", sentAt }, [secret]);
  const response = await fetch(url, { method: "POST", headers: { ...headers }, body });
  await response.arrayBuffer();
  return response.status;
}

for (const receiver of RECEIVERS) {
  test(`the page's receiver in ${receiver.language} accepts only genuine calls`, async (t) => {
    if (!isInstalledOrSkip(t, [receiver.command, "--version"], "python3")) return;
    const port = await findFreePort();
    const origin = `http://${LOOPBACK}:${port}`;
    const environment = { TOCSIN_CALLBACK_ALLOW_ORIGINS: origin };
    const first = await startApp(t, { environment });
    const { client } = await signUp(first, "Ann");
    const [key] = (await client.keys.list()).items;
    assert.ok(key !== undefined);
    const { secret: previous } = await client.keys.createCallbackSecret(key.id);
    const readLine = await startReceiver(t, receiver, { port, secret: previous });
    const { secret } = await client.keys.createCallbackSecret(key.id);
    const insert = insertCallbackQuery(first.app.context, {
      sourceId: key.id,
      event: "incident.resolved",
      subjectId: "i1",
      url: `${origin}/hook`,
      payload: { incidentId: "i1" },
    });
    await first.app.context.database.atomically([insert]);
    await first.app.stop();
    // The next start makes the call, and signs it with both secrets.
    const { app } = await startApp(t, { environment, dataDir: first.dataDir });
    const [id, type, ...data] = (await readLine()).split(" ");
    assert.deepEqual([id, type], [insert.id, "incident.resolved"]);
    assert.deepEqual(JSON.parse(data.join(" ")), { incidentId: "i1" });
    const listRows = () => app.context.database.db.selectFrom("callback").select("id").execute();
    await eventually(listRows, (rows) => rows.length === 0);
    assert.notEqual(secret, previous);

    const sentAt = Date.now();
    const body = "{}";
    const other = generateCallbackSecret();
    assert.equal(await post(origin, { secret: other, body, sentAt }), 401);
    assert.equal(await post(origin, { secret: previous, body: "[]", sentAt }), 401);
    assert.equal(await post(origin, { secret: previous, body, sentAt: sentAt - TOO_OLD_MS }), 401);
    assert.equal((await fetch(origin, { method: "POST", body })).status, 401);
  });
}
