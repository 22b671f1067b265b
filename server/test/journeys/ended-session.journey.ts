import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { setUpBy } from "../support/administrator.ts";
import { ConsolePage } from "../support/console-page.ts";
import { ANN } from "../support/console-stage.ts";
import { startPasskeyStage } from "../support/passkey-stage.ts";

const BEN = { email: "ben@example.org", password: "password of Ben", name: "Ben" };
/** A browser's message about a session that has ended. */
const OVER = /\b401\b/;
const TITLE = "Nightly backup";
const PLACE = "/log?q=Nightly";
/** The live stream looks at the session every 20 seconds. */
const NOTICED_WITHIN_MS = 40_000;

test("a person who has to sign in first comes back to the page as it was asked for, without its hash", async (t) => {
  const stage = await startPasskeyStage(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  await send(ann, stage.url);
  const { page } = await stage.open(`${PLACE}#part`);
  await giveThePassword(page);
  await page.see(`main ::-p-text(${TITLE})`);
  assert.equal(placeOf(page), PLACE);
  assert.deepEqual(page.complaints, []);
});

test("a page whose session is ended in another browser leads to sign-in, says why, and comes back", async (t) => {
  const stage = await startPasskeyStage(t);
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  await send(ann, stage.url);
  const { page } = await stage.open("/send");
  await giveThePassword(page);
  await page.page.locator("main textarea, main input[type=text]").fill("Never sent");
  await visitFeedAnd(page, `${stage.url}${PLACE}`);
  page.page.setDefaultTimeout(NOTICED_WITHIN_MS);
  await ann.sessions.endOthers();
  await seeTheEnd(page);
  await seeNothingLeft(page);
  await giveThePassword(page);
  await page.see(`main ::-p-text(${TITLE})`);
  assert.equal(placeOf(page), PLACE);
  assert.deepEqual(surprises(page), []);
});

test("a person whom the administrator suspends is led to sign-in at the next press, told what happened, and leaves nothing to the next", async (t) => {
  const stage = await startPasskeyStage(t);
  const { client: root } = await setUpBy(stage, "root@example.org");
  const ann = createClient({ baseUrl: stage.url });
  await ann.signUp(ANN);
  await send(ann, stage.url);
  const { page } = await stage.open("/settings/access");
  await giveThePassword(page);
  await page.see("main li ::-p-text(This browser)");
  await visitFeedAnd(page, `${stage.url}/log`);
  await page.see(`main ::-p-text(${TITLE})`);
  await page.go("Profile & security");
  await page.follow("Access");
  await page.see("main li ::-p-text(This browser)");
  const { id } = await ann.me();
  await root.admin.accounts.update(id, { isSuspended: true });
  await page.press("Create an access token");
  await page.fillIn({ label: "Too late" });
  await page.press("Create the token");
  await seeTheEnd(page);
  await seeNothingLeft(page);
  await giveThePassword(page);
  assert.match(await page.see('main [role="alert"]'), /suspended/);
  await page.fillIn({ email: "root@example.org", password: "password of Root" });
  await page.press("Sign in");
  await page.see("main li ::-p-text(This browser)");
  // The page would show its cached data again.
  await page.go("Sent");
  await page.see("main ::-p-text(Nothing sent yet)");
  assert.deepEqual(
    surprises(page).filter((complaint) => !/\b403\b/.test(complaint)),
    [],
  );
});

test("a tab goes with the others: it is the page of who signs in there, and leads to sign-in when they leave", async (t) => {
  const stage = await startPasskeyStage(t);
  const [ann, ben] = [createClient({ baseUrl: stage.url }), createClient({ baseUrl: stage.url })];
  await ann.signUp(ANN);
  await send(ann, stage.url);
  await ben.signUp(BEN);
  const { page } = await stage.open(PLACE);
  await giveThePassword(page);
  await page.see(`main ::-p-text(${TITLE})`);
  const other = await ConsolePage.open(page.page.browser(), stage.url);
  await replaceCookie(other, BEN);
  await other.page.reload();
  await other.see(`header ::-p-text(${BEN.email})`);
  await page.see(`header ::-p-text(${BEN.email})`);
  await seeNothingLeft(page);
  await other.go("Profile & security");
  await other.press("Sign out");
  await seeTheEnd(page);
  assert.deepEqual(surprises(page), []);
});

/** Signs somebody in past the page: only the cookie changes, and nothing is refused. */
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

async function giveThePassword(page: ConsolePage): Promise<void> {
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
}

/** Has the feed kept in the browser, and goes on. */
async function visitFeedAnd(page: ConsolePage, next: string): Promise<void> {
  await page.go("Notifications");
  await page.see(`main ::-p-text(${TITLE})`);
  await page.page.waitForFunction(`caches.has("tocsin-kept")`);
  await page.page.goto(next);
  await page.see("[data-live=true]");
}

async function seeTheEnd(page: ConsolePage): Promise<void> {
  await page.see("h1 ::-p-text(Sign in)");
  assert.match(await page.see('main [role="status"]'), /Your session has ended/);
}

/** Nothing that the person could see, wrote or kept is left for whoever comes next. */
async function seeNothingLeft({ page }: ConsolePage): Promise<void> {
  const left: unknown = await page.evaluate(`(async () => [
    document.documentElement.outerHTML,
    document.title,
    JSON.stringify(Object.fromEntries(Object.entries(localStorage))),
    JSON.stringify(Object.fromEntries(Object.entries(sessionStorage))),
    JSON.stringify((await caches.keys()).filter((name) => name === "tocsin-kept")),
  ].join("\\n"))()`);
  const text = String(left);
  for (const own of [TITLE, "Backup script", ANN.email, "Never sent", "tocsin-kept"]) {
    assert.ok(!text.includes(own), own);
  }
}

function placeOf({ page }: ConsolePage): string {
  const { pathname, search, hash } = new URL(page.url());
  return pathname + search + hash;
}

function surprises(page: ConsolePage): readonly string[] {
  return page.complaints.filter((complaint) => !OVER.test(complaint));
}
