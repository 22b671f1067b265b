import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { addDevice } from "../support/app.ts";
import { examine, resize, SIZES } from "../support/console-look.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage, type ConsoleStage, type Visitor } from "../support/console-stage.ts";
import { linkToken } from "../support/link-token.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const BEN_ACTIONS = "Actions for Ben";

for (const [browserName, start] of Object.entries(PUSH_BROWSERS)) {
  test(`${browserName}: an administrator manages accounts and their devices, and makes a backup`, async (t) => {
    const browsers = await start(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const { page, client } = ann;
    const ben = await joinByInvitation(stage, ann, "Ben");
    const cara = await joinByInvitation(stage, ann, "Cara");
    await addDevice(stage, { client: ben }, "Lost phone");
    await ben.teams.create({ name: "Night watch" });
    await addTokensNearLimit(stage, cara);
    const checkAccessibility = async (name: string) => {
      if (browserName === "Chromium") assert.deepEqual(await examineAllSizes(page, name), []);
    };

    await page.go("Administration");
    await page.follow("Accounts");
    assert.match(await page.see('main [data-limit="accessTokens"]'), /Cara[\s\S]*80 of 100/);
    const [benAccount] = (await client.admin.accounts.list({ q: "Ben" })).items;
    const benRow = `main li[data-id="${benAccount?.id}"]`;
    assert.match(await page.see(benRow), /address not confirmed/i);
    await page.press(BEN_ACTIONS);
    await page.see('[role="menu"]');
    await checkAccessibility("people-menu");
    await page.press("Confirm the address");
    await page.see('[role="dialog"] ::-p-text(ben@example.org belongs to this person)');
    await page.press("Confirm the address");
    await page.miss('[role="dialog"]');
    await page.miss(`${benRow} ::-p-text(address not confirmed)`);

    await page.press(BEN_ACTIONS);
    await page.press("Devices");
    await page.see('[role="dialog"] ::-p-text(Lost phone)');
    await checkAccessibility("people-devices");
    await page.press("Remove Lost phone");
    await page.press("Really remove Lost phone");
    await page.see('[role="dialog"] ::-p-text(No devices)');
    assert.deepEqual((await ben.devices.list()).items, []);
    await page.page.keyboard.press("Escape");
    await page.miss('[role="dialog"]');

    await page.press(BEN_ACTIONS);
    await page.press("Delete the account");
    await page.see('[role="dialog"] ::-p-text(The team Night watch is deleted too)');
    await page.see('[role="dialog"] button:disabled ::-p-text(Delete permanently)');
    await checkAccessibility("people-delete");
    await page.page.locator('[role="dialog"] input').fill("ben@example.org");
    await page.press("Delete permanently");
    await page.miss('[role="dialog"]');
    await page.miss(benRow);
    await assert.rejects(ben.me(), { status: 401 });

    await page.follow("Health");
    await page.press("Make a backup now");
    await page.see('[data-backup="made"] ::-p-text(complete and checked)');
    await page.see("main li code");
    await checkAccessibility("people-backup");
    // Inline `data:` resources of a style sheet are no network requests.
    const complaints = page.complaints.filter((text) => !text.startsWith("a request to data:"));
    assert.deepEqual(complaints, []);
  });
}

async function joinByInvitation(
  { url }: ConsoleStage,
  { client }: Visitor,
  name: string,
): Promise<Client> {
  const { link } = await client.admin.invitations.create();
  const invitee = createClient({ baseUrl: url });
  const email = `${name.toLowerCase()}@example.org`;
  await invitee.signUp({ email, name, password: "a password of theirs", token: linkToken(link) });
  return invitee;
}

/** Inserts access tokens up to 80 % of the account limit. */
async function addTokensNearLimit({ app }: ConsoleStage, invitee: Client): Promise<void> {
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

async function examineAllSizes(page: ConsolePage, name: string) {
  const violations = [];
  for (const size of SIZES) {
    await resize(page, size);
    await page.page.evaluate(`document.querySelector("[data-backup]")?.scrollIntoView()`);
    violations.push(...(await examine(page, { name, size })));
  }
  await resize(page, SIZES[0]);
  return violations;
}
