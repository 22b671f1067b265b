import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { startApp, signUp, type TestApp } from "../support/app.ts";
import { post } from "../contract/ask.ts";
import { sizeOf, reportFigure } from "./bar.ts";

const CODE_POINTS = 0x11_0000;
const PER_TEXT = 512;
/** The short form uses one in this many texts. */
const SAMPLE_INTERVAL = sizeOf({ short: 40, full: 1 });
const BATCH_SIZE = 50;

/** Returns texts of 512 code points that cover all of Unicode, lone surrogates included, and the hostile texts. */
function buildCorpus(): readonly string[] {
  const texts = [];
  for (let start = 0; start < CODE_POINTS; start += PER_TEXT) {
    // Always includes the ranges with control characters and surrogates.
    const isSpecialRange = start < 0x1000 || (start >= 0xd800 && start < 0xe000);
    if (!isSpecialRange && (start / PER_TEXT) % SAMPLE_INTERVAL !== 0) continue;
    const points = Array.from({ length: PER_TEXT }, (_, index) => start + index);
    // Separated by dots, so that a high and a low surrogate do not form a pair.
    texts.push(points.map((point) => `${String.fromCodePoint(point)}.`).join(""));
  }
  return [...HOSTILE_TEXTS, ...texts];
}

/** Implements the contract's rule independently of the server's code. */
function sanitise(text: string): string {
  let sanitised = "";
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const isControl = point < 0x20 && point !== 0x09 && point !== 0x0a;
    const isLone = point >= 0xd800 && point <= 0xdfff;
    if (!isControl) sanitised += isLone ? "\uFFFD" : character;
  }
  return sanitised;
}

test("every text is stored as the same bytes in both databases", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const { key } = await signUp(app, "Ann");
  const texts = buildCorpus();
  const ids = new Map<string, string>();
  for (let start = 0; start < texts.length; start += BATCH_SIZE) {
    const batch = texts.slice(start, start + BATCH_SIZE);
    const sent = await Promise.all(batch.map((body) => send(app, { key, body })));
    for (const [index, id] of sent.entries()) ids.set(id, batch[index] ?? "");
  }
  const bytes = await storedBytes(app);
  assert.equal(bytes.size, texts.length);
  for (const [id, text] of ids) {
    const expected = Buffer.from(sanitise(text)).toString("hex");
    assert.equal(
      bytes.get(id),
      expected,
      `other bytes are stored for ${JSON.stringify(text.slice(0, 40))}`,
    );
  }
  reportCount(t, { app, count: texts.length });
});

async function send(
  { url }: TestApp,
  { key, body }: { key: string; body: string },
): Promise<string> {
  const path = "/api/v1/notify-async";
  const { status, headers, text } = await post(url, { key, path, body: { title: "Text", body } });
  assert.equal(status, 200, `${JSON.stringify(body.slice(0, 40))} is answered ${status}: ${text}`);
  return String(headers["x-notification-id"]);
}

/** Returns each notification's stored body, as hexadecimal UTF-8 bytes. */
async function storedBytes({ app }: TestApp): Promise<ReadonlyMap<string, string>> {
  const { db, engine } = app.context.database;
  const bytes =
    engine.name === "postgres"
      ? sql<string>`encode(convert_to(body, 'UTF8'), 'hex')`
      : sql<string>`lower(hex(body))`;
  const rows = await db
    .selectFrom("notification")
    .select(["id", bytes.as("bytes")])
    .execute();
  return new Map(rows.map(({ id, bytes: hex }) => [id, hex]));
}

function reportCount(t: TestContext, { app, count }: { app: TestApp; count: number }): void {
  const { name } = app.app.context.database.engine;
  reportFigure(t, `${count.toLocaleString("en")} texts on ${name}, 0 differences`);
}
