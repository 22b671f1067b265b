import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { sql } from "kysely";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { startApp, signUp, type TestApp } from "../support/app.ts";
import { post } from "../contract/ask.ts";
import { sizeOf, tellFigure } from "./bar.ts";

const CODE_POINTS = 0x11_0000;
const PER_TEXT = 512;
/** In short every so many of the texts that all code points make. */
const EVERY = sizeOf({ short: 40, full: 1 });
const AT_ONCE = 50;

/** Every code point, lone surrogates too, in texts of 512; and texts that somebody made to do harm. */
function corpus(): readonly string[] {
  const texts = [];
  for (let start = 0; start < CODE_POINTS; start += PER_TEXT) {
    // The first hold the controls, and those from D800 on the surrogates.
    const isTelling = start < 0x1000 || (start >= 0xd800 && start < 0xe000);
    if (!isTelling && (start / PER_TEXT) % EVERY !== 0) continue;
    const points = Array.from({ length: PER_TEXT }, (_, index) => start + index);
    // Apart, so that a high surrogate does not find a low one.
    texts.push(points.map((point) => `${String.fromCodePoint(point)}.`).join(""));
  }
  return [...HOSTILE_TEXTS, ...texts];
}

/** The rule of the contract, said once more without the code that it is about. */
function expectedOf(text: string): string {
  let kept = "";
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const isControl = point < 0x20 && point !== 0x09 && point !== 0x0a;
    const isLone = point >= 0xd800 && point <= 0xdfff;
    if (!isControl) kept += isLone ? "\uFFFD" : character;
  }
  return kept;
}

test("every text is stored as the same bytes, whatever the database", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const { key } = await signUp(app, "Ann");
  const texts = corpus();
  const ids = new Map<string, string>();
  for (let start = 0; start < texts.length; start += AT_ONCE) {
    const some = texts.slice(start, start + AT_ONCE);
    const sent = await Promise.all(some.map((body) => send(app, { key, body })));
    for (const [index, id] of sent.entries()) ids.set(id, some[index] ?? "");
  }
  const bytes = await storedBytes(app);
  assert.equal(bytes.size, texts.length);
  for (const [id, text] of ids) {
    const expected = Buffer.from(expectedOf(text)).toString("hex");
    assert.equal(
      bytes.get(id),
      expected,
      `other bytes are stored of ${JSON.stringify(text.slice(0, 40))}`,
    );
  }
  tell(t, { app, count: texts.length });
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

/** Each notification's body as the database holds it, in hexadecimal of its UTF-8. */
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

function tell(t: TestContext, { app, count }: { app: TestApp; count: number }): void {
  const { name } = app.app.context.database.engine;
  tellFigure(t, `${count.toLocaleString("en")} texts on ${name}, 0 differences`);
}
