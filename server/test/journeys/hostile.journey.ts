import assert from "node:assert/strict";
import test from "node:test";
import { createClient, LIMITS, type Client, type FeedItem } from "@tocsin/sdk";
import { reportFigure } from "../attacks/bar.ts";
import { addDevice } from "../support/app.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { turnOnNotifications, type startConsoleFixture } from "../support/console-fixture.ts";
import { eventually } from "../support/eventually.ts";
import {
  assertNoScriptRan,
  fillFeedWithHostileContent,
  startHostileContentFixture,
} from "../support/hostile-content-fixture.ts";
import { HOSTILE_LINKS, HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import type { Tripwire } from "../support/tripwire.ts";

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const PREVIEW_LENGTH = 500;
/** Opens one in this many log entries. */
const LOG_ENTRY_INTERVAL = 12;

test("the feed and notifications show hostile texts as plain text that fits a phone", async (t) => {
  const count = HOSTILE_TEXTS.length + HOSTILE_LINKS.length;
  assert.ok(count >= 200, `${count} hostile texts and links`);
  const hostileFixture = await startHostileContentFixture(t);
  const { page, tripwire, client, fixture } = hostileFixture;
  await fillFeedWithHostileContent(hostileFixture);
  for (const view of [DESKTOP, PHONE]) {
    const { items } = await client.feed.list({ limit: 200 });
    assert.equal(items.length, HOSTILE_TEXTS.length);
    await page.tab.setViewport(view);
    await page.tab.goto(`${fixture.url}/`);
    await page.waitFor("article");
    assert.deepEqual(
      await readRows(page, { tripwire, count: items.length }),
      toExpectedRows(items),
    );
    await page.tab.evaluate("scrollTo(0, 0)");
    await page.waitFor('article[aria-posinset="1"]');
    await page.tab.evaluate(`document.querySelector('article[aria-posinset="1"] a').click()`);
    for (const item of items) {
      await page.waitFor(`[data-opened-notification="${item.id}"][data-read]`);
      const expected = JSON.stringify([
        toShownTitle(item),
        ...(item.body === "" ? [] : [item.body]),
      ]);
      // A long text is complete once the server has responded.
      await eventually(
        () => page.tab.evaluate(READ_OPENED_NOTIFICATION),
        (shown) => shown === expected,
      );
      assert.deepEqual(await tripwire.findPageFaults(), [], item.title);
      await page.tab.keyboard.press("j");
    }
  }
  await assertNoScriptRan(page, tripwire);
  reportFigure(t, `${HOSTILE_TEXTS.length} texts and ${HOSTILE_LINKS.length} links, 0 run`);
});

interface Row {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly label: string | null;
}

/** Scrolls through the list and returns the rows. */
async function readRows(
  { tab }: ConsolePage,
  { tripwire, count }: { readonly tripwire: Tripwire; readonly count: number },
): Promise<readonly Row[]> {
  const rows = new Map<string, Row>();
  const faults = new Set<string>();
  for (let steps = 0; steps < count && rows.size < count; steps += 1) {
    const result: unknown = await tab.evaluate(READ_ROWS);
    // The expression returns rows.
    for (const row of result as readonly Row[]) rows.set(row.id, row);
    for (const fault of await tripwire.findPageFaults()) faults.add(fault);
    await tab.evaluate(SCROLL_HALF_A_SCREEN);
  }
  assert.deepEqual([...faults], []);
  return [...rows.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

function toExpectedRows(items: readonly FeedItem[]): readonly Row[] {
  return items.map(({ id, title, body, readAt }) => {
    const shownTitle = toShownTitle({ title });
    const label = readAt === null ? `Mark as read: ${shownTitle}` : null;
    return { id, title: shownTitle, body: body.slice(0, PREVIEW_LENGTH), label };
  });
}

/** Returns the shown title: one without visible characters is replaced. */
function toShownTitle({ title }: Pick<FeedItem, "title">): string {
  return /^[\s\p{Z}\p{C}]*$/u.test(title) ? "Notification" : title;
}

const READ_ROWS = `[...document.querySelectorAll("article[data-notification]")].map((row) => {
  const title = row.querySelector("a");
  return {
    id: row.dataset.notification,
    title: title.textContent,
    body: title.parentElement.nextElementSibling.children[1]?.textContent ?? "",
    label: [...row.querySelectorAll("button")].map((button) => button.getAttribute("aria-label"))
      .find((label) => label?.startsWith("Mark as read")) ?? null,
  };
})`;

const SCROLL_HALF_A_SCREEN = `scrollBy(0, innerHeight / 2);
new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))`;

const READ_OPENED_NOTIFICATION = `JSON.stringify([...document.querySelectorAll("[data-opened-notification] > :is(h2, div[dir=auto])")].map((element) => element.textContent))`;

test("the delivery log shows hostile texts as plain text that fits a phone", async (t) => {
  const hostileFixture = await startHostileContentFixture(t);
  const { page, tripwire, fixture } = hostileFixture;
  const items = await fillFeedWithHostileContent(hostileFixture);
  for (const view of [DESKTOP, PHONE]) {
    await page.tab.setViewport(view);
    await page.tab.goto(`${fixture.url}/log`);
    await page.waitFor("main li");
    const text = await loadAllText(page);
    for (const { title } of items) {
      assert.ok(text.includes(title), JSON.stringify(title));
    }
    assert.deepEqual(await tripwire.findPageFaults(), []);
  }
  for (const [, { id, title }] of items
    .entries()
    .filter(([index]) => index % LOG_ENTRY_INTERVAL === 0)) {
    await page.tab.goto(`${fixture.url}/log/${id}`);
    await page.waitFor("main h2");
    const text: unknown = await page.tab.evaluate(`document.querySelector("main").textContent`);
    assert.ok(String(text).includes(title), JSON.stringify(title));
    assert.deepEqual(await tripwire.findPageFaults(), [], title);
  }
  await assertNoScriptRan(page, tripwire);
});

/** Clicks “Load more” until the list is complete; returns the text of the page's main element. */
async function loadAllText({ tab }: ConsolePage): Promise<string> {
  const text: unknown = await tab.evaluate(`(async () => {
    const findMoreButton = () => [...document.querySelectorAll("main button")].find((button) => button.textContent === "Load more");
    for (let attempt = 0; attempt < 400 && findMoreButton() !== undefined; attempt += 1) {
      findMoreButton().click();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return document.querySelector("main").textContent;
  })()`);
  return String(text);
}

test("hostile names of devices, groups, teams, policies and keys are plain text that fits a phone", async (t) => {
  const { page, tripwire, client, fixture } = await startHostileContentFixture(t);
  const names = await createHostileNames(client, fixture);
  for (const { path, shown } of names) {
    for (const view of [DESKTOP, PHONE]) {
      await page.tab.setViewport(view);
      await page.tab.goto(fixture.url + path);
      await page.waitFor("main li");
      const text = await loadAllText(page);
      for (const name of shown) assert.ok(text.includes(name), `${path}: ${JSON.stringify(name)}`);
      assert.deepEqual(await tripwire.findPageFaults(), [], path);
    }
  }
  await assertNoScriptRan(page, tripwire);
});

const NAME_LENGTH_MAX = 80;
/** Divides the hostile names into thirds, so that every name is used at least once. */
const NAME_PARTS = 3;

async function createHostileNames(
  client: Client,
  { push }: Awaited<ReturnType<typeof startConsoleFixture>>,
) {
  const names = HOSTILE_TEXTS.map((text) => text.slice(0, NAME_LENGTH_MAX));
  const selectThird = (kind: number) => names.filter((_, index) => index % NAME_PARTS === kind);
  const devices = await createWithNames(selectThird(0), async (name) => {
    const { device } = await addDevice({ push }, { client }, name);
    return device.name;
  });
  const keys = await createWithNames(selectThird(1), async (label) => {
    return (await client.keys.create({ kind: "account", label })).label ?? "";
  });
  const groups = await createWithNames(selectThird(2), async (name) => {
    return (await client.groups.create({ name, deviceIds: [] })).name;
  });
  const teams = await createWithNames(
    selectThird(2),
    async (name) => (await client.teams.create({ name })).name,
  );
  const policyNames = selectThird(0).slice(0, LIMITS.escalationPolicies);
  const policies = await createWithNames(policyNames, async (name) => {
    const steps = [{ afterSeconds: 0, targets: [{ kind: "me" }] }] as const;
    return (await client.escalationPolicies.create({ name, steps })).name;
  });
  return [
    { path: "/policies", shown: policies },
    { path: "/devices", shown: devices },
    { path: "/keys", shown: keys },
    { path: "/groups", shown: groups },
    { path: "/teams", shown: teams },
  ];
}

/** Returns the names as the server stores them; it may refuse some as invalid. */
async function createWithNames(
  names: readonly string[],
  create: (name: string) => Promise<string>,
): Promise<readonly string[]> {
  const storedNames = [];
  for (const name of names) {
    try {
      storedNames.push(await create(name));
    } catch (error) {
      assert.match(String(error), /name|label/, JSON.stringify(name));
    }
  }
  assert.ok(storedNames.length > names.length / 2, `${storedNames.length} of ${names.length}`);
  return storedNames;
}

test("a browser shows hostile notifications as plain text", async (t) => {
  const hostileFixture = await startHostileContentFixture(t);
  const { page, tripwire, client, fixture } = hostileFixture;
  await turnOnNotifications(hostileFixture);
  const { key } = await client.keys.create({ kind: "account" });
  const sender = createClient({ baseUrl: fixture.url, apiKey: key });
  const sentTexts = new Map<string, string>();
  for (const text of HOSTILE_TEXTS) {
    const { notificationId } = await sender.notify({ title: text, body: `.${text}` });
    sentTexts.set(notificationId ?? "", text);
  }
  const { items } = await client.feed.list({ limit: 200 });
  assert.equal(items.length, HOSTILE_TEXTS.length);
  const shownNotifications = new Map(
    (await page.waitForNotification(items[0]?.id ?? "")).map((item) => [item.tag, item]),
  );
  const stillShown = items.filter(({ id }) => shownNotifications.has(id));
  t.diagnostic(`${stillShown.length} of ${items.length} are still shown`);
  assert.ok(stillShown.length >= items.length / 2);
  for (const { id, title, body } of stillShown) {
    const { title: shownTitle = "", body: shownBody = "" } = shownNotifications.get(id) ?? {};
    // A blank title is replaced by the product's name.
    assert.equal(shownTitle, title.trim() === "" ? "Tocsin" : title);
    assert.equal(shownBody, body);
  }
  await assertNoScriptRan(page, tripwire);
});
