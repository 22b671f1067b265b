import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client, type FeedItem } from "@tocsin/sdk";
import { reportFigure } from "../bars/bar.ts";
import { addDevice } from "../support/app.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { turnOn, type startStage } from "../support/console-stage.ts";
import { eventually } from "../support/eventually.ts";
import { assertNoScriptRan, fillWithHostile, startHostile } from "../support/start-hostile.ts";
import { HOSTILE_LINKS, HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import type { Tripwire } from "../support/tripwire.ts";

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const PREVIEW_LENGTH = 500;
/** Opens one in this many log entries. */
const RECORD_INTERVAL = 12;

test("the feed and notifications show hostile texts as plain text that fits a phone", async (t) => {
  const count = HOSTILE_TEXTS.length + HOSTILE_LINKS.length;
  assert.ok(count >= 200, `${count} hostile texts and links`);
  reportFigure(t, `${HOSTILE_TEXTS.length} texts and ${HOSTILE_LINKS.length} links, 0 run`);
  const stage = await startHostile(t);
  const { page, wire } = stage;
  await fillWithHostile(stage);
  for (const view of [DESKTOP, PHONE]) {
    const { items } = await stage.client.feed.list({ limit: 200 });
    assert.equal(items.length, HOSTILE_TEXTS.length);
    await page.page.setViewport(view);
    await page.page.goto(`${stage.stage.url}/`);
    await page.see("article");
    assert.deepEqual(await readRows(page, { wire, count: items.length }), expectedRows(items));
    await page.page.evaluate("scrollTo(0, 0)");
    await page.see('article[aria-posinset="1"]');
    await page.page.evaluate(`document.querySelector('article[aria-posinset="1"] a').click()`);
    for (const item of items) {
      await page.see(`[data-opened-notification="${item.id}"][data-read]`);
      const expected = JSON.stringify([titleOf(item), ...(item.body === "" ? [] : [item.body])]);
      // A long text is complete once the server has responded.
      await eventually(
        () => page.page.evaluate(OPENED),
        (shown) => shown === expected,
      );
      assert.deepEqual(await wire.faults(), [], item.title);
      await page.page.keyboard.press("j");
    }
  }
  await assertNoScriptRan(page, wire);
});

interface Row {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly label: string | null;
}

/** Scrolls through the list and returns the rows. */
async function readRows(
  { page }: ConsolePage,
  { wire, count }: { readonly wire: Tripwire; readonly count: number },
): Promise<readonly Row[]> {
  const rows = new Map<string, Row>();
  const faults = new Set<string>();
  for (let steps = 0; steps < count && rows.size < count; steps += 1) {
    const result: unknown = await page.evaluate(ROWS);
    // The expression returns rows.
    for (const row of result as readonly Row[]) rows.set(row.id, row);
    for (const fault of await wire.faults()) faults.add(fault);
    await page.evaluate(NEXT_SCREEN);
  }
  assert.deepEqual([...faults], []);
  return [...rows.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

function expectedRows(items: readonly FeedItem[]): readonly Row[] {
  return items.map(({ id, title, body, readAt }) => {
    const shown = titleOf({ title });
    const label = readAt === null ? `Mark as read: ${shown}` : null;
    return { id, title: shown, body: body.slice(0, PREVIEW_LENGTH), label };
  });
}

/** Returns the shown title: one without visible characters is replaced. */
function titleOf({ title }: Pick<FeedItem, "title">): string {
  return /^[\s\p{Z}\p{C}]*$/u.test(title) ? "Notification" : title;
}

const ROWS = `[...document.querySelectorAll("article[data-notification]")].map((row) => {
  const title = row.querySelector("a");
  return {
    id: row.dataset.notification,
    title: title.textContent,
    body: title.parentElement.nextElementSibling.children[1]?.textContent ?? "",
    label: [...row.querySelectorAll("button")].map((button) => button.getAttribute("aria-label"))
      .find((label) => label?.startsWith("Mark as read")) ?? null,
  };
})`;

const NEXT_SCREEN = `scrollBy(0, innerHeight / 2);
new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))`;

const OPENED = `JSON.stringify([...document.querySelectorAll("[data-opened-notification] > :is(h2, div[dir=auto])")].map((element) => element.textContent))`;

test("the delivery log shows hostile texts as plain text that fits a phone", async (t) => {
  const stage = await startHostile(t);
  const { page, wire } = stage;
  const items = await fillWithHostile(stage);
  for (const view of [DESKTOP, PHONE]) {
    await page.page.setViewport(view);
    await page.page.goto(`${stage.stage.url}/log`);
    await page.see("main li");
    const text = await loadedText(page);
    for (const { title } of items) {
      assert.ok(text.includes(title), JSON.stringify(title));
    }
    assert.deepEqual(await wire.faults(), []);
  }
  for (const [, { id, title }] of items
    .entries()
    .filter(([index]) => index % RECORD_INTERVAL === 0)) {
    await page.page.goto(`${stage.stage.url}/log/${id}`);
    await page.see("main h2");
    const text: unknown = await page.page.evaluate(`document.querySelector("main").textContent`);
    assert.ok(String(text).includes(title), JSON.stringify(title));
    assert.deepEqual(await wire.faults(), [], title);
  }
  await assertNoScriptRan(page, wire);
});

/** Clicks “Load more” until the list is complete; returns the text of the page's main element. */
async function loadedText({ page }: ConsolePage): Promise<string> {
  const text: unknown = await page.evaluate(`(async () => {
    const more = () => [...document.querySelectorAll("main button")].find((button) => button.textContent === "Load more");
    for (let tries = 0; tries < 400 && more() !== undefined; tries += 1) {
      more().click();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return document.querySelector("main").textContent;
  })()`);
  return String(text);
}

test("hostile names of devices, groups, teams and keys are plain text that fits a phone", async (t) => {
  const { page, wire, client, stage } = await startHostile(t);
  const names = await createNamed(client, stage);
  for (const { path, shown } of names) {
    for (const view of [DESKTOP, PHONE]) {
      await page.page.setViewport(view);
      await page.page.goto(stage.url + path);
      await page.see("main li");
      const text = await loadedText(page);
      for (const name of shown) assert.ok(text.includes(name), `${path}: ${JSON.stringify(name)}`);
      assert.deepEqual(await wire.faults(), [], path);
    }
  }
  await assertNoScriptRan(page, wire);
});

const NAME_LENGTH_MAX = 80;
/** Divides the hostile names into thirds, so that every name is used at least once. */
const THIRDS = 3;

async function createNamed(client: Client, { push }: Awaited<ReturnType<typeof startStage>>) {
  const names = HOSTILE_TEXTS.map((text) => text.slice(0, NAME_LENGTH_MAX));
  const third = (kind: number) => names.filter((_, index) => index % THIRDS === kind);
  const devices = await createEach(third(0), async (name) => {
    const { device } = await addDevice({ push }, { client }, name);
    return device.name;
  });
  const keys = await createEach(third(1), async (label) => {
    return (await client.keys.create({ kind: "account", label })).label ?? "";
  });
  const groups = await createEach(third(2), async (name) => {
    return (await client.groups.create({ name, deviceIds: [] })).name;
  });
  const teams = await createEach(
    third(2),
    async (name) => (await client.teams.create({ name })).name,
  );
  return [
    { path: "/devices", shown: devices },
    { path: "/keys", shown: keys },
    { path: "/groups", shown: groups },
    { path: "/teams", shown: teams },
  ];
}

/** Returns the names as the server stores them; it may refuse some as invalid. */
async function createEach(
  names: readonly string[],
  create: (name: string) => Promise<string>,
): Promise<readonly string[]> {
  const stored = [];
  for (const name of names) {
    try {
      stored.push(await create(name));
    } catch (error) {
      assert.match(String(error), /name|label/, JSON.stringify(name));
    }
  }
  assert.ok(stored.length > names.length / 2, `${stored.length} of ${names.length}`);
  return stored;
}

test("a browser shows hostile notifications as plain text", async (t) => {
  const visitor = await startHostile(t);
  const { page, wire, client, stage } = visitor;
  await turnOn(visitor);
  const { key } = await client.keys.create({ kind: "account" });
  const sender = createClient({ baseUrl: stage.url, apiKey: key });
  const sent = new Map<string, string>();
  for (const text of HOSTILE_TEXTS) {
    const { notificationId } = await sender.notify({ title: text, body: `.${text}` });
    sent.set(notificationId ?? "", text);
  }
  const { items } = await client.feed.list({ limit: 200 });
  assert.equal(items.length, HOSTILE_TEXTS.length);
  const shown = new Map((await page.shown(items[0]?.id ?? "")).map((item) => [item.tag, item]));
  const stillShown = items.filter(({ id }) => shown.has(id));
  t.diagnostic(`${stillShown.length} of ${items.length} are still shown`);
  assert.ok(stillShown.length >= items.length / 2);
  for (const { id, title, body } of stillShown) {
    const { title: shownTitle = "", body: shownBody = "" } = shown.get(id) ?? {};
    // A blank title is replaced by the server's name.
    assert.equal(shownTitle, title.trim() === "" ? "Tocsin" : title);
    assert.equal(shownBody, body);
  }
  await assertNoScriptRan(page, wire);
});
