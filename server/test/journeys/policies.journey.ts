import assert from "node:assert/strict";
import test from "node:test";
import type { ConsolePage } from "../support/console-page.ts";
import type { SimulatedDevice } from "../doubles/simulated-device.ts";
import { addDevice, signUp } from "../support/app.ts";
import { setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { findMemberId } from "../support/team-members.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("a person creates a policy, gives it to a key, changes it, tests it and deletes it", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  const { phone } = await addDevice({ push: fixture.push }, ann, "Ann's phone");
  const key = await client.keys.create({ kind: "account", label: "Pager" });
  await page.navigate("Policies");
  await page.press("Create a policy");
  await fill(page, { index: 1, label: "Name" }, "Nights");
  await choose(page, { index: 1, label: "Rings" }, "Ann's phone");
  await page.press("Add a step");
  await fill(page, { index: 1, label: "Minutes after the alarm" }, "0");
  await choose(page, { index: 2, label: "Rings" }, "Email to me");
  await page.press("Create the policy");
  await page.waitFor('[role="dialog"] ::-p-text(A step must be later)');
  await fill(page, { index: 1, label: "Minutes after the alarm" }, "1.5");
  await page.press("Create the policy");
  await page.waitUntilGone('[role="dialog"]');
  assert.match(
    (await page.waitFor("main li[data-id]")).replaceAll(/\s+/g, " "),
    /^Nights At once Ann's phone 1 device After 1 min 30 s Email to Ann reaches nobody/,
  );

  await page.navigate("API keys");
  await page.press(`Actions for the key ending in ${key.hint}`);
  await page.press("Escalation policy");
  await choose(page, { index: 1, label: "Policy" }, "Nights");
  await page.press("Save");
  await page.waitFor("main li ::-p-text(Escalation: Nights)");
  const [policy] = (await client.escalationPolicies.list()).items;
  assert.equal(await readPolicyId(client, key.id), policy?.id);

  await page.navigate("Policies");
  await page.press("Actions for Nights");
  await page.press("Edit");
  await choose(page, { index: 1, label: "Ring again" }, "After 15");
  await page.press("Remove step 2");
  await page.press("Save");
  await page.waitFor("main li ::-p-text(Rings again)");
  const [changed] = (await client.escalationPolicies.list()).items;
  assert.deepEqual([changed?.steps.length, changed?.remindAfterSeconds], [1, 900]);

  await sendTest(page, phone);

  await page.press("Actions for Nights");
  await page.press("Delete the policy");
  await page.waitFor('[role="dialog"]');
  await page.press("Delete the policy");
  await page.waitFor("main ::-p-text(No policy yet)");
  assert.equal(await readPolicyId(client, key.id), null);
  assert.deepEqual(page.consoleErrors, []);
});

test("a manager creates a policy for a team, whose steps reach its members", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  await addDevice({ push: fixture.push }, ann, "Ann's phone");
  const { id: teamId } = await client.teams.create({ name: "Operations" });
  const { link } = await client.teams.invite(teamId, { email: "ben@example.org" });
  await signUp(fixture, "Ben", parseLinkToken(link));
  await page.navigate("Policies");
  await page.press("Create a policy");
  await fill(page, { index: 1, label: "Name" }, "Weekend");
  await choose(page, { index: 1, label: "Rings" }, "All my devices");
  await choose(page, { index: 1, label: "For the keys of" }, "Operations");
  await page.waitUntilGone('[role="dialog"] ::-p-text(All my devices)');
  await choose(page, { index: 1, label: "Rings" }, "Ann's phone");
  await choose(page, { index: 1, label: "Rings" }, "Everybody in the team");
  await page.press("Add a step");
  await choose(page, { index: 2, label: "Rings" }, "Email to Ben");
  await page.press("Create the policy");
  await page.waitUntilGone('[role="dialog"]');
  const [policy] = (await client.escalationPolicies.list()).items;
  assert.equal(policy?.teamId, teamId);
  assert.deepEqual(
    policy.steps.map(({ afterSeconds, targets }) => [
      afterSeconds,
      targets.map(({ kind }) => kind),
    ]),
    [
      [0, ["device", "team"]],
      [300, ["mail"]],
    ],
  );
  assert.deepEqual(page.consoleErrors, []);
});

test("a manager can change a policy with another manager's group, and sees whose group it is", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  const { id: teamId } = await client.teams.create({ name: "Operations" });
  const { link } = await client.teams.invite(teamId, { email: "ben@example.org" });
  const ben = await signUp(fixture, "Ben", parseLinkToken(link));
  await client.teams.updateMember(teamId, await findMemberId(ann, teamId, ben), {
    role: "admin",
  });
  const group = await ben.client.groups.create({ name: "Bedside", deviceIds: [] });
  const targets = [{ kind: "group", groupId: group.id } as const];
  const steps = [{ afterSeconds: 0, targets }];
  await ben.client.escalationPolicies.create({ teamId, name: "Weekend", steps });
  await page.navigate("Policies");
  assert.match(await page.waitFor("main li[data-id] ol"), /A group of Ben/);
  await page.press("Actions for Weekend");
  await page.press("Edit");
  await choose(page, { index: 1, label: "Rings" }, "Everybody in the team");
  await page.press("Save");
  await page.waitUntilGone('[role="dialog"]');
  const [policy] = (await ben.client.escalationPolicies.list()).items;
  assert.deepEqual(
    policy?.steps[0]?.targets.map(({ kind, name }) => [kind, name]),
    [
      ["group", "Bedside"],
      ["team", "Operations"],
    ],
  );
  assert.deepEqual(page.consoleErrors, []);
});

/** Sends a test of the policy Nights, whose first step rings one phone. */
async function sendTest(page: ConsolePage, phone: SimulatedDevice): Promise<void> {
  await page.press("Actions for Nights");
  await page.press("Send a test");
  await page.waitFor("[role=dialog] ::-p-text(Ann's phone 1 device)");
  await page.waitFor("[role=dialog] ::-p-text(A test opens no incident)");
  assert.equal(phone.requests.length, 0);
  await page.press("Send the test");
  await page.waitFor("[role=dialog] ::-p-text(The test was sent to 1 device of 1 person.)");
  const { text } = await phone.next();
  assert.match(text, /Test of the policy “Nights”/);
  await page.press("Done");
  await page.waitUntilGone('[role="dialog"]');
}

/** A field: its label, and its position among the fields with this label, from 1. */
interface Field {
  readonly index: number;
  readonly label: string;
}

/** Returns the selector of a text field in the dialog. */
function toSelector({ index, label }: Field): string {
  const isLabelled = `normalize-space(.)="${label}"`;
  return `::-p-xpath((//*[@role="dialog"]//label[${isLabelled}]/ancestor::div[1]//input[not(@type="hidden")])[${index}])`;
}

async function fill({ tab }: ConsolePage, field: Field, text: string): Promise<void> {
  await tab.locator(toSelector(field)).fill(text);
}

/** Chooses an option in the list of the field. The lists of other fields stay in the document. */
async function choose({ tab }: ConsolePage, field: Field, option: string): Promise<void> {
  await tab.locator(toSelector(field)).click();
  const listId = await tab.$eval(toSelector(field), (input) => input.getAttribute("aria-controls"));
  await tab.locator(`[id="${listId}"] [role="option"] ::-p-text(${option})`).click();
}

async function readPolicyId(
  client: Pick<Awaited<ReturnType<typeof setUpServer>>["client"], "keys">,
  keyId: string,
): Promise<string | null | undefined> {
  const { items } = await client.keys.list();
  return items.find(({ id }) => id === keyId)?.escalationPolicyId;
}
