import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { startApp, signUp, type TestApp } from "../support/app.ts";
import { post } from "../contract/http-requests.ts";
import { chooseSize, reportFigure } from "./bar.ts";

const CODE_POINT_COUNT = 0x11_0000;
const CODE_POINTS_PER_TEXT = 512;
/** The short form uses one in this many texts. */
const SAMPLE_INTERVAL = chooseSize({ short: 40, full: 1 });
const BATCH_SIZE = 50;

/** Returns texts of 512 code points that cover all of Unicode, lone surrogates included, and the hostile texts. */
function buildCorpus(): readonly string[] {
  const texts = [];
  for (let start = 0; start < CODE_POINT_COUNT; start += CODE_POINTS_PER_TEXT) {
    // The short form, too, includes the ranges with control characters and surrogates.
    const isSpecialRange = start < 0x1000 || (start >= 0xd800 && start < 0xe000);
    if (!isSpecialRange && (start / CODE_POINTS_PER_TEXT) % SAMPLE_INTERVAL !== 0) continue;
    const codePoints = Array.from({ length: CODE_POINTS_PER_TEXT }, (_, index) => start + index);
    // Dots separate the code points, so that a high and a low surrogate do not form a pair.
    texts.push(codePoints.map((codePoint) => `${String.fromCodePoint(codePoint)}.`).join(""));
  }
  return [...HOSTILE_TEXTS, ...texts];
}

/**
 * Removes control characters and replaces lone surrogates, as the contract requires. Independent of the server's code.
 */
function sanitise(text: string): string {
  let sanitised = "";
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    const isControl = codePoint < 0x20 && codePoint !== 0x09 && codePoint !== 0x0a;
    const isLoneSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
    if (!isControl) sanitised += isLoneSurrogate ? "\uFFFD" : character;
  }
  return sanitised;
}

test("every text is stored as its sanitised UTF-8 bytes, on either database", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const { key } = await signUp(app, "Ann");
  const texts = buildCorpus();
  const textById = new Map<string, string>();
  for (let start = 0; start < texts.length; start += BATCH_SIZE) {
    const batch = texts.slice(start, start + BATCH_SIZE);
    const sentIds = await Promise.all(batch.map((body) => send(app, { key, body })));
    for (const [index, id] of sentIds.entries()) textById.set(id, batch[index] ?? "");
  }
  const storedHexById = await readStoredBytes(app);
  assert.equal(storedHexById.size, texts.length);
  for (const [id, text] of textById) {
    const expected = Buffer.from(sanitise(text)).toString("hex");
    assert.equal(
      storedHexById.get(id),
      expected,
      `unexpected bytes are stored for ${JSON.stringify(text.slice(0, 40))}`,
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
  assert.equal(
    status,
    200,
    `the server responded ${status} to ${JSON.stringify(body.slice(0, 40))}: ${text}`,
  );
  return String(headers["x-notification-id"]);
}

/** Returns each notification's stored body, as hexadecimal UTF-8 bytes. */
async function readStoredBytes({ app }: TestApp): Promise<ReadonlyMap<string, string>> {
  const { db, engine } = app.context.database;
  const bodyAsHex =
    engine.name === "postgres"
      ? sql<string>`encode(convert_to(body, 'UTF8'), 'hex')`
      : sql<string>`lower(hex(body))`;
  const rows = await db
    .selectFrom("notification")
    .select(["id", bodyAsHex.as("bytes")])
    .execute();
  return new Map(rows.map(({ id, bytes: hex }) => [id, hex]));
}

function reportCount(t: TestContext, { app, count }: { app: TestApp; count: number }): void {
  const { name } = app.app.context.database.engine;
  reportFigure(t, `${count.toLocaleString("en")} texts on ${name}, 0 differences`);
}
