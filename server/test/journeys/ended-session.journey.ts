import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { setUpAdministrator } from "../support/administrator.ts";
import { ConsolePage } from "../support/console-page.ts";
import { ANN } from "../support/console-fixture.ts";
import { startPasskeyServer } from "../support/passkey-server.ts";

const BEN = { email: "ben@example.org", password: "password of Ben", name: "Ben" };
/** Matches the browser's error message about a response with status 401. */
const UNAUTHENTICATED = /\b401\b/;
const TITLE = "Nightly backup";
const SEARCH_PATH = "/log?q=Nightly";
/** Name of the browser's cache that holds the feed for reading offline, as in the console. */
const OFFLINE_CACHE_NAME = "tocsin-kept";
/** Twice the interval at which the live stream checks the session. */
const NOTICE_TIMEOUT_MS = 40_000;

test("sign-in returns to the requested page with its query, but without its hash", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  await send(ann, fixture.url);
  const { page } = await fixture.openPage(`${SEARCH_PATH}#part`);
  await signInAsAnn(page);
  await page.waitFor(`main ::-p-text(${TITLE})`);
  assert.equal(getPath(page), SEARCH_PATH);
  assert.deepEqual(page.consoleErrors, []);
});

test("a person whose session was ended elsewhere signs in and returns to the page they were on", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  await send(ann, fixture.url);
  const { page } = await fixture.openPage("/send");
  await signInAsAnn(page);
  await page.tab.locator("main textarea, main input[type=text]").fill("Never sent");
  await cacheFeedThenOpen(page, `${fixture.url}${SEARCH_PATH}`);
  page.tab.setDefaultTimeout(NOTICE_TIMEOUT_MS);
  await ann.sessions.endOthers();
  await assertSessionEnded(page);
  await assertNoDataLeft(page);
  await signInAsAnn(page);
  await page.waitFor(`main ::-p-text(${TITLE})`);
  assert.equal(getPath(page), SEARCH_PATH);
  assert.deepEqual(listUnexpectedErrors(page), []);
});

test("a suspended person is sent to sign-in at the next click, and the browser keeps none of their data", async (t) => {
  const fixture = await startPasskeyServer(t);
  const { client: root } = await setUpAdministrator(fixture, "root@example.org");
  const ann = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  await send(ann, fixture.url);
  const { page } = await fixture.openPage("/settings/access");
  await signInAsAnn(page);
  await page.waitFor("main li ::-p-text(This browser)");
  await cacheFeedThenOpen(page, `${fixture.url}/log`);
  await page.waitFor(`main ::-p-text(${TITLE})`);
  await page.navigate("Profile & security");
  await page.followLink("Access");
  await page.waitFor("main li ::-p-text(This browser)");
  const { id } = await ann.me();
  await root.admin.accounts.update(id, { isSuspended: true });
  await page.press("Create an access token");
  await page.fillIn({ label: "Too late" });
  await page.press("Create the token");
  await assertSessionEnded(page);
  await assertNoDataLeft(page);
  await signInAsAnn(page);
  assert.match(await page.waitFor('main [role="alert"]'), /suspended/);
  await page.fillIn({ email: "root@example.org", password: "password of Root" });
  await page.press("Sign in");
  await page.waitFor("main li ::-p-text(This browser)");
  // A page that kept cached data would show it here.
  await page.navigate("Sent");
  await page.waitFor("main ::-p-text(Nothing sent yet)");
  assert.deepEqual(
    listUnexpectedErrors(page).filter((error) => !/\b403\b/.test(error)),
    [],
  );
});

test("a tab follows when another tab signs in to another account or signs out", async (t) => {
  const fixture = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: fixture.url });
  const ben = createClient({ baseUrl: fixture.url });
  await ann.signUp(ANN);
  await send(ann, fixture.url);
  await ben.signUp(BEN);
  const { page } = await fixture.openPage(SEARCH_PATH);
  await signInAsAnn(page);
  await cacheFeedThenOpen(page, `${fixture.url}${SEARCH_PATH}`);
  const otherPage = await ConsolePage.open(page.tab.browser(), fixture.url);
  await replaceCookie(otherPage, BEN);
  await otherPage.tab.reload();
  await otherPage.waitFor(`header ::-p-text(${BEN.email})`);
  await page.waitFor(`header ::-p-text(${BEN.email})`);
  await assertNoDataLeft(page);
  await otherPage.navigate("Profile & security");
  await otherPage.press("Sign out");
  await assertSessionEnded(page);
  assert.deepEqual(listUnexpectedErrors(page), []);
});

/** Signs in with a bare request: only the cookie changes, and no request is refused. */
async function replaceCookie(
  { tab }: ConsolePage,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  const body = JSON.stringify({ email, password });
  const status: unknown = await tab.evaluate(`fetch("/api/auth/sign-in/email", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: ${JSON.stringify(body)},
  }).then(({ status }) => status)`);
  assert.equal(status, 200);
}

async function send(client: Client, url: string): Promise<void> {
  const { key } = await client.keys.create({ kind: "account", label: "Backup script" });
  await createClient({ baseUrl: url, apiKey: key }).notify({ title: TITLE, body: "It failed." });
}

async function signInAsAnn(page: ConsolePage): Promise<void> {
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
}

/** Opens the feed, waits until the browser has cached it, and opens the next page. */
async function cacheFeedThenOpen(page: ConsolePage, next: string): Promise<void> {
  await page.navigate("Notifications");
  await page.waitFor(`main ::-p-text(${TITLE})`);
  await waitUntilFeedIsCached(page);
  await page.tab.goto(next);
  await page.waitFor("[data-live=true]");
}

/** Waits until the browser has cached the account's feed. */
async function waitUntilFeedIsCached({ tab }: ConsolePage): Promise<void> {
  await tab.waitForFunction(`caches.has("${OFFLINE_CACHE_NAME}")`);
}

async function assertSessionEnded(page: ConsolePage): Promise<void> {
  await page.waitFor("h1 ::-p-text(Sign in)");
  assert.match(await page.waitFor('main [role="status"]'), /Your session has ended/);
}

/** Asserts that the page and the browser's storage hold nothing of the previous account. */
async function assertNoDataLeft(page: ConsolePage): Promise<void> {
  const contents: unknown = await page.tab.evaluate(`[
    document.documentElement.outerHTML,
    document.title,
    JSON.stringify(Object.fromEntries(Object.entries(localStorage))),
    JSON.stringify(Object.fromEntries(Object.entries(sessionStorage))),
  ].join("\\n")`);
  const text = String(contents);
  for (const personalText of [TITLE, "Backup script", ANN.email, "Never sent"]) {
    assert.ok(!text.includes(personalText), personalText);
  }
  // The browser deletes a cache in the background.
  await page.tab.waitForFunction(`caches.has("${OFFLINE_CACHE_NAME}").then((exists) => !exists)`);
}

function getPath({ tab }: ConsolePage): string {
  const { pathname, search, hash } = new URL(tab.url());
  return pathname + search + hash;
}

function listUnexpectedErrors(page: ConsolePage): readonly string[] {
  return page.consoleErrors.filter((error) => !UNAUTHENTICATED.test(error));
}
