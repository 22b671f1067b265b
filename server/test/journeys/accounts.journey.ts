import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { addDevice } from "../support/app.ts";
import { inspectPage, resizePage, JOURNEY_SIZES } from "../support/console-inspection.ts";
import type { ConsolePage } from "../support/console-page.ts";
import {
  setUpServer,
  startConsoleFixture,
  type ConsoleFixture,
  type ConsoleUser,
} from "../support/console-fixture.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const BEN_ACTIONS = "Actions for Ben";

for (const [browserName, start] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: an administrator manages accounts and their devices, and makes a backup`, async (t) => {
    const browsers = await start(t);
    const fixture = await startConsoleFixture(t, browsers);
    const ann = await setUpServer(fixture, browsers);
    const { page, client } = ann;
    const ben = await joinByInvitation(fixture, ann, "Ben");
    const cara = await joinByInvitation(fixture, ann, "Cara");
    await addDevice(fixture, { client: ben }, "Lost phone");
    await ben.teams.create({ name: "Night watch" });
    await addTokensNearLimit(fixture, cara);
    const assertAccessible = async (name: string) => {
      if (browserName === "Chromium") assert.deepEqual(await inspectAllSizes(page, name), []);
    };

    await page.navigate("Administration");
    await page.followLink("Accounts");
    assert.match(await page.waitFor('main [data-limit="accessTokens"]'), /Cara[\s\S]*80 of 100/);
    const [benAccount] = (await client.admin.accounts.list({ q: "Ben" })).items;
    const benRow = `main li[data-id="${benAccount?.id}"]`;
    assert.match(await page.waitFor(benRow), /address not confirmed/i);
    await page.press(BEN_ACTIONS);
    await page.waitFor('[role="menu"]');
    await assertAccessible("people-menu");
    await page.press("Confirm the address");
    await page.waitFor('[role="dialog"] ::-p-text(ben@example.org belongs to this person)');
    await page.press("Confirm the address");
    await page.waitUntilGone('[role="dialog"]');
    await page.waitUntilGone(`${benRow} ::-p-text(address not confirmed)`);

    await page.press(BEN_ACTIONS);
    await page.press("Devices");
    await page.waitFor('[role="dialog"] ::-p-text(Lost phone)');
    await assertAccessible("people-devices");
    await page.press("Remove Lost phone");
    await page.press("Really remove Lost phone");
    await page.waitFor('[role="dialog"] ::-p-text(No devices)');
    assert.deepEqual((await ben.devices.list()).items, []);
    await page.tab.keyboard.press("Escape");
    await page.waitUntilGone('[role="dialog"]');

    await page.press(BEN_ACTIONS);
    await page.press("Delete the account");
    await page.waitFor('[role="dialog"] ::-p-text(The team Night watch is deleted too)');
    await page.waitFor('[role="dialog"] button:disabled ::-p-text(Delete permanently)');
    await assertAccessible("people-delete");
    await page.tab.locator('[role="dialog"] input').fill("ben@example.org");
    await page.press("Delete permanently");
    await page.waitUntilGone('[role="dialog"]');
    await page.waitUntilGone(benRow);
    await assert.rejects(ben.me(), { status: 401 });

    await page.followLink("Health");
    await page.press("Make a backup now");
    await page.waitFor('[data-backup="made"] ::-p-text(complete and checked)');
    await page.waitFor("main li code");
    await assertAccessible("people-backup");
    assert.deepEqual(page.consoleErrors.filter(isUnexpected), []);
  });
}

/** Inline `data:` resources of a style sheet are not network requests. */
function isUnexpected(error: string): boolean {
  return !error.startsWith("a request to data:");
}

async function joinByInvitation(
  { url }: ConsoleFixture,
  { client }: ConsoleUser,
  name: string,
): Promise<Client> {
  const { link } = await client.admin.invitations.create();
  const invitee = createClient({ baseUrl: url });
  const email = `${name.toLowerCase()}@example.org`;
  await invitee.signUp({
    email,
    name,
    password: "a password of theirs",
    token: parseLinkToken(link),
  });
  return invitee;
}

/** Inserts access tokens up to 80 % of the account limit. */
async function addTokensNearLimit({ app }: ConsoleFixture, invitee: Client): Promise<void> {
  const { id } = await invitee.me();
  const tokens = Array.from({ length: 80 }, (_, index) => ({
    id: `token-${index}`,
    account_id: id,
    label: "program",
    token_hash: `hash-${index}`,
    created_at: 0,
  }));
  await app.context.database.db.insertInto("access_token").values(tokens).execute();
}

async function inspectAllSizes(page: ConsolePage, name: string) {
  const violations = [];
  for (const size of JOURNEY_SIZES) {
    await resizePage(page, size);
    await page.tab.evaluate(`document.querySelector("[data-backup]")?.scrollIntoView()`);
    violations.push(...(await inspectPage(page, { name, size })));
  }
  await resizePage(page, JOURNEY_SIZES[0]);
  return violations;
}
