import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { addDevice } from "../support/app.ts";
import { examine, lookAs, SIZES } from "../support/console-look.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { setUp, startStage, type ConsoleStage, type Visitor } from "../support/console-stage.ts";
import { linkToken } from "../support/link-token.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

const OF_BEN = "Actions for Ben";

for (const [make, start] of Object.entries(PUSH_BROWSERS)) {
  test(`${make}: an administrator confirms an address, removes a lost device, ends an account and makes a backup`, async (t) => {
    const browsers = await start(t);
    const stage = await startStage(t, browsers);
    const ann = await setUp(stage, browsers);
    const { page, client } = ann;
    const ben = await join(stage, ann, "Ben");
    const cara = await join(stage, ann, "Cara");
    await addDevice(stage, { client: ben }, "Lost phone");
    await ben.teams.create({ name: "Night watch" });
    await useUp(stage, cara);
    const look = async (name: string) => {
      if (make === "Chromium") assert.deepEqual(await findings(page, name), []);
    };

    await page.go("Administration");
    await page.follow("Accounts");
    assert.match(await page.see('main [data-limit="accessTokens"]'), /Cara[\s\S]*80 of 100/);
    const [ofBen] = (await client.admin.accounts.list({ q: "Ben" })).items;
    const line = `main li[data-id="${ofBen?.id}"]`;
    assert.match(await page.see(line), /address not confirmed/i);
    await page.press(OF_BEN);
    await page.see('[role="menu"]');
    await look("people-menu");
    await page.press("Confirm the address");
    await page.see('[role="dialog"] ::-p-text(ben@example.org belongs to this person)');
    await page.press("Confirm the address");
    await page.miss('[role="dialog"]');
    await page.miss(`${line} ::-p-text(address not confirmed)`);

    await page.press(OF_BEN);
    await page.press("Devices");
    await page.see('[role="dialog"] ::-p-text(Lost phone)');
    await look("people-devices");
    await page.press("Remove Lost phone");
    await page.press("Really remove Lost phone");
    await page.see('[role="dialog"] ::-p-text(No devices)');
    assert.deepEqual((await ben.devices.list()).items, []);
    await page.page.keyboard.press("Escape");
    await page.miss('[role="dialog"]');

    await page.press(OF_BEN);
    await page.press("Delete the account");
    await page.see('[role="dialog"] ::-p-text(The team Night watch is deleted too)');
    await page.see('[role="dialog"] button:disabled ::-p-text(Delete permanently)');
    await look("people-delete");
    await page.page.locator('[role="dialog"] input').fill("ben@example.org");
    await page.press("Delete permanently");
    await page.miss('[role="dialog"]');
    await page.miss(line);
    await assert.rejects(ben.me(), { status: 401 });

    await page.follow("Health");
    await page.press("Make a backup now");
    await page.see('[data-backup="made"] ::-p-text(complete and checked)');
    await page.see("main li code");
    await look("people-backup");
    // Inline resources of a style sheet cause no request.
    const complaints = page.complaints.filter((one) => !one.startsWith("a request to data:"));
    assert.deepEqual(complaints, []);
  });
}

async function join({ url }: ConsoleStage, { client }: Visitor, name: string): Promise<Client> {
  const { link } = await client.admin.invitations.create();
  const person = createClient({ baseUrl: url });
  const email = `${name.toLowerCase()}@example.org`;
  await person.signUp({ email, name, password: "a password of theirs", token: linkToken(link) });
  return person;
}

/** Gives a person four fifths of the access tokens that one may have. */
async function useUp({ app }: ConsoleStage, person: Client): Promise<void> {
  const { id } = await person.me();
  const tokens = Array.from({ length: 80 }, (_, index) => ({
    id: `token-${index}`,
    account_id: id,
    label: "program",
    token_hash: `hash-${index}`,
    created_at: 0,
  }));
  await app.context.database.db.insertInto("access_token").values(tokens).execute();
}

async function findings(page: ConsolePage, name: string) {
  const found = [];
  for (const size of SIZES) {
    await lookAs(page, size);
    await page.page.evaluate(`document.querySelector("[data-backup]")?.scrollIntoView()`);
    found.push(...(await examine(page, { name, size })));
  }
  await lookAs(page, SIZES[0]);
  return found;
}
