import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { setUpAdministrator } from "../support/administrator.ts";
import { ConsolePage } from "../support/console-page.ts";
import { ANN } from "../support/console-stage.ts";
import { startPasskeyServer } from "../support/passkey-server.ts";

const BEN = { email: "ben@example.org", password: "password of Ben", name: "Ben" };
/** Matches the browser's error message about an ended session. */
const ENDED_SESSION = /\b401\b/;
const TITLE = "Nightly backup";
const SEARCH_PATH = "/log?q=Nightly";
/** The live stream checks the session every 20 seconds. */
const NOTICED_MAX_MS = 40_000;

test("sign-in returns to the requested page with its query, but without its hash", async (t) => {
  const stage = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  await send(ann, stage.url);
  const { page } = await stage.open(`${SEARCH_PATH}#part`);
  await signInAsAnn(page);
  await page.see(`main ::-p-text(${TITLE})`);
  assert.equal(pathOf(page), SEARCH_PATH);
  assert.deepEqual(page.complaints, []);
});

test("a page whose session ended elsewhere leads to sign-in, says why, and returns", async (t) => {
  const stage = await startPasskeyServer(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  await send(ann, stage.url);
  const { page } = await stage.open("/send");
  await signInAsAnn(page);
  await page.page.locator("main textarea, main input[type=text]").fill("Never sent");
  await cacheFeedThenOpen(page, `${stage.url}${SEARCH_PATH}`);
  page.page.setDefaultTimeout(NOTICED_MAX_MS);
  await ann.sessions.endOthers();
  await assertSessionEnded(page);
  await assertNothingLeft(page);
  await signInAsAnn(page);
  await page.see(`main ::-p-text(${TITLE})`);
  assert.equal(pathOf(page), SEARCH_PATH);
  assert.deepEqual(unexpectedComplaints(page), []);
});

test("a suspended person is led to sign-in at the next click, and leaves no data behind", async (t) => {
  const stage = await startPasskeyServer(t);
  const { client: root } = await setUpAdministrator(stage, "root@example.org");
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  await send(ann, stage.url);
  const { page } = await stage.open("/settings/access");
  await signInAsAnn(page);
  await page.see("main li ::-p-text(This browser)");
  await cacheFeedThenOpen(page, `${stage.url}/log`);
  await page.see(`main ::-p-text(${TITLE})`);
  await page.go("Profile & security");
  await page.follow("Access");
  await page.see("main li ::-p-text(This browser)");
  const { id } = await ann.me();
  await root.admin.accounts.update(id, { isSuspended: true });
  await page.press("Create an access token");
  await page.fillIn({ label: "Too late" });
  await page.press("Create the token");
  await assertSessionEnded(page);
  await assertNothingLeft(page);
  await signInAsAnn(page);
  assert.match(await page.see('main [role="alert"]'), /suspended/);
  await page.fillIn({ email: "root@example.org", password: "password of Root" });
  await page.press("Sign in");
  await page.see("main li ::-p-text(This browser)");
  // A page that kept cached data would show it here.
  await page.go("Sent");
  await page.see("main ::-p-text(Nothing sent yet)");
  assert.deepEqual(
    unexpectedComplaints(page).filter((complaint) => !/\b403\b/.test(complaint)),
    [],
  );
});

test("a tab follows a change of account, and a sign-out, in another tab", async (t) => {
  const stage = await startPasskeyServer(t);
  const [ann, ben] = [createClient({ baseUrl: stage.url }), createClient({ baseUrl: stage.url })];
  await ann.signUp(ANN);
  await send(ann, stage.url);
  await ben.signUp(BEN);
  const { page } = await stage.open(SEARCH_PATH);
  await signInAsAnn(page);
  await page.see(`main ::-p-text(${TITLE})`);
  const otherTab = await ConsolePage.open(page.page.browser(), stage.url);
  await replaceCookie(otherTab, BEN);
  await otherTab.page.reload();
  await otherTab.see(`header ::-p-text(${BEN.email})`);
  await page.see(`header ::-p-text(${BEN.email})`);
  await assertNothingLeft(page);
  await otherTab.go("Profile & security");
  await otherTab.press("Sign out");
  await assertSessionEnded(page);
  assert.deepEqual(unexpectedComplaints(page), []);
});

/** Signs in with a bare request: only the cookie changes, and no request is refused. */
async function replaceCookie(
  { page }: ConsolePage,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  const body = JSON.stringify({ email, password });
  const status: unknown = await page.evaluate(`fetch("/api/auth/sign-in/email", {
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
  await page.go("Notifications");
  await page.see(`main ::-p-text(${TITLE})`);
  await page.page.waitForFunction(`caches.has("tocsin-kept")`);
  await page.page.goto(next);
  await page.see("[data-live=true]");
}

async function assertSessionEnded(page: ConsolePage): Promise<void> {
  await page.see("h1 ::-p-text(Sign in)");
  assert.match(await page.see('main [role="status"]'), /Your session has ended/);
}

/** Asserts that the page and the browser's storage hold nothing of the previous account. */
async function assertNothingLeft({ page }: ConsolePage): Promise<void> {
  const contents: unknown = await page.evaluate(`(async () => [
    document.documentElement.outerHTML,
    document.title,
    JSON.stringify(Object.fromEntries(Object.entries(localStorage))),
    JSON.stringify(Object.fromEntries(Object.entries(sessionStorage))),
    JSON.stringify((await caches.keys()).filter((name) => name === "tocsin-kept")),
  ].join("\\n"))()`);
  const text = String(contents);
  for (const secret of [TITLE, "Backup script", ANN.email, "Never sent", "tocsin-kept"]) {
    assert.ok(!text.includes(secret), secret);
  }
}

function pathOf({ page }: ConsolePage): string {
  const { pathname, search, hash } = new URL(page.url());
  return pathname + search + hash;
}

function unexpectedComplaints(page: ConsolePage): readonly string[] {
  return page.complaints.filter((complaint) => !ENDED_SESSION.test(complaint));
}
