import test from "node:test";
import { addDevice, signUp } from "../../support/app.ts";
import { inspectViews, type View } from "../../support/console-inspection.ts";
import {
  setUpServer,
  startConsoleFixture,
  type ConsoleFixture,
  type ConsoleUser,
} from "../../support/console-fixture.ts";
import { parseLinkToken } from "../../support/link-token.ts";
import { findMemberId } from "../../support/team-members.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

/** Creates policies of Ann and of her team, one of them with a deleted group. */
async function createPolicies(fixture: ConsoleFixture, ann: ConsoleUser): Promise<void> {
  const { client } = ann;
  const { device } = await addDevice({ push: fixture.push }, ann, "Ann's phone");
  const { device: tablet } = await addDevice({ push: fixture.push }, ann, "Workshop tablet");
  const group = await client.groups.create({ name: "On call", deviceIds: [device.id] });
  const deletedGroup = await client.groups.create({ name: "Cellar", deviceIds: [tablet.id] });
  const { id: teamId } = await client.teams.create({ name: "Operations" });
  const { link } = await client.teams.invite(teamId, { email: "ben@example.org" });
  const ben = await signUp(fixture, "Ben", parseLinkToken(link));
  const accountId = await findMemberId(ann, teamId, ben);
  await client.escalationPolicies.create({
    name: "Nights",
    steps: [
      { afterSeconds: 0, targets: [{ kind: "group", groupId: group.id }] },
      { afterSeconds: 300, targets: [{ kind: "me" }, { kind: "mail" }] },
    ],
    remindAfterSeconds: 3_600,
  });
  await client.escalationPolicies.create({
    name: "Workshop",
    steps: [
      { afterSeconds: 0, targets: [{ kind: "group", groupId: deletedGroup.id }] },
      {
        afterSeconds: 90,
        targets: [{ kind: "device", deviceId: tablet.id }, { kind: "callback" }],
      },
    ],
  });
  await client.teams.updateMember(teamId, accountId, { role: "admin" });
  const { device: benDevice } = await addDevice({ push: fixture.push }, ben, "Ben's phone");
  const weekend = await ben.client.escalationPolicies.create({
    teamId,
    name: "Operations at the weekend",
    steps: [{ afterSeconds: 0, targets: [{ kind: "device", deviceId: benDevice.id }] }],
  });
  const onCall = { kind: "group", groupId: group.id } as const;
  await client.escalationPolicies.update(weekend.id, {
    steps: [
      { afterSeconds: 0, targets: [{ kind: "device", deviceId: benDevice.id }, onCall] },
      { afterSeconds: 120, targets: [{ kind: "member", accountId }] },
      { afterSeconds: 300, targets: [{ kind: "mail", accountId }, { kind: "team" }] },
    ],
  });
  await client.groups.remove(deletedGroup.id);
}

/** The dialog after an attempt to save an incomplete policy. */
const INCOMPLETE = {
  name: "new-policy-incomplete",
  thenPress: {
    button: ["Create a policy", "Add a step", "Create the policy"],
    waitFor: '[role="dialog"] ::-p-text(Choose at least one)',
  },
} satisfies Omit<View, "path" | "waitFor">;

/** Gives a policy to a key, and inspects the dialog that changes the key's policy. */
async function inspectKeyPolicy({ page, client }: ConsoleUser): Promise<void> {
  const key = await client.keys.create({ kind: "account", label: "Pager" });
  const [policy] = (await client.escalationPolicies.list()).items;
  await client.keys.update(key.id, { escalationPolicyId: policy?.id ?? null });
  const keyMenu = `Actions for the key ending in ${key.hint}`;
  await inspectViews(page, {
    views: [
      {
        name: "key-policy",
        path: "/keys",
        waitFor: "main li ::-p-text(Escalation: Nights)",
        thenPress: {
          button: [keyMenu, "Escalation policy"],
          waitFor: '[role="dialog"] input[aria-haspopup="listbox"]',
        },
      },
    ],
  });
}

test("the policies page meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page } = ann;
  await inspectViews(page, {
    views: [{ name: "policies-empty", path: "/policies", waitFor: "main h2" }],
  });
  await createPolicies(fixture, ann);
  const onPolicies = { path: "/policies", waitFor: "main li[data-id] ol" };
  await inspectViews(page, {
    views: [
      { name: "policies", ...onPolicies },
      {
        name: "new-policy",
        ...onPolicies,
        thenPress: { button: "Create a policy", waitFor: '[role="dialog"] fieldset' },
      },
      { ...INCOMPLETE, ...onPolicies },
      {
        name: "edit-policy",
        ...onPolicies,
        thenPress: { button: ["Actions for Nights", "Edit"], waitFor: '[role="dialog"] fieldset' },
      },
      {
        name: "edit-policy-missing",
        ...onPolicies,
        thenPress: {
          button: ["Actions for Workshop", "Edit"],
          waitFor: '[role="dialog"] [role="alert"]',
        },
      },
      {
        name: "edit-team-policy",
        ...onPolicies,
        thenPress: {
          button: ["Actions for Operations at the weekend", "Edit"],
          waitFor: '[role="dialog"] fieldset',
        },
      },
      {
        name: "remove-policy",
        ...onPolicies,
        thenPress: {
          button: ["Actions for Nights", "Delete the policy"],
          waitFor: '[role="dialog"]',
        },
      },
    ],
  });
  await inspectKeyPolicy(ann);
});
