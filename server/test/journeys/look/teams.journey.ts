import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp } from "../../support/app.ts";
import { inspectViews, type View } from "../../support/console-inspection.ts";
import { ANN, setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { startMailServer } from "../../support/start-mail-server.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";
import { parseLinkToken } from "../../support/link-token.ts";

/** The invitation dialog after input that contains no email address. */
const INVALID_EMAIL = {
  name: "invite-no-address",
  thenPress: { button: "Invite people", waitFor: '[role="dialog"] textarea' },
  prepare: async (page) => {
    await page.tab.locator('[role="dialog"] textarea').fill("dan(at)example.org, zoe");
    await page.find('[role="dialog"] ::-p-aria([name="Invite people"])').click();
    await page.waitFor('[role="dialog"] ::-p-text(These are not email addresses)');
  },
} satisfies Omit<View, "path" | "waitFor">;

test("the team pages meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  await inspectViews(page, {
    views: [{ name: "teams-empty", path: "/teams", waitFor: "main h2" }],
  });
  await addDevice({ push: fixture.push }, ann, "Ann's phone");
  const { id } = await client.teams.create({ name: "Operations" });
  const { link } = await client.teams.invite(id, { email: "ben@example.org" });
  await client.teams.invite(id, { email: "eve.with.a.long.address@subsidiary.example.org" });
  const ben = await signUp(fixture, "Ben", parseLinkToken(link));
  const { id: benTeamId } = await ben.client.teams.create({ name: "Family" });
  await ben.client.teams.invite(benTeamId, { email: ANN.email });
  const onTeam = { path: `/teams/${id}`, waitFor: "main section" };
  await inspectViews(page, {
    views: [
      { name: "teams", path: "/teams", waitFor: "main li" },
      { name: "team", ...onTeam },
      { name: "team-gone", path: "/teams/none", waitFor: "main h2" },
      {
        name: "invite",
        ...onTeam,
        thenPress: { button: "Invite people", waitFor: '[role="dialog"] textarea' },
      },
      { ...INVALID_EMAIL, ...onTeam },
      {
        name: "member-menu",
        ...onTeam,
        thenPress: { button: "Actions for Ben", waitFor: '[role="menu"]' },
      },
      {
        name: "revoke-invitation",
        ...onTeam,
        thenPress: {
          button: "Revoke the invitation for eve.with.a.long.address@subsidiary.example.org",
          waitFor: '[role="dialog"]',
        },
      },
      {
        name: "remove-member",
        ...onTeam,
        thenPress: {
          button: ["Actions for Ben", "Remove from the team"],
          waitFor: '[role="dialog"]',
        },
      },
      {
        name: "delete-team",
        ...onTeam,
        thenPress: { button: "Delete the team", waitFor: '[role="dialog"] input' },
      },
    ],
    expectedErrors: /404/,
  });
});

test("the invitation page meets WCAG 2.2 A and AA in all of its states", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  const { id } = await client.teams.create({ name: "Operations" });
  const acceptedInvitation = await client.teams.invite(id, { email: "ben@example.org" });
  const ben = await signUp(fixture, "Ben", parseLinkToken(acceptedInvitation.link));
  const { id: benTeamId } = await ben.client.teams.create({ name: "Family" });
  const annInvitation = await ben.client.teams.invite(benTeamId, { email: ANN.email });
  const eveInvitation = await client.teams.invite(id, {
    email: "eve.with.a.long.address@subsidiary.example.org",
  });
  await inspectViews(page, {
    views: [
      { name: "invitation-open", path: getPath(annInvitation.link), waitFor: "main button" },
      {
        name: "invitation-wrong-account",
        path: getPath(eveInvitation.link),
        waitFor: "main button",
      },
      { name: "invitation-dead", path: getPath(acceptedInvitation.link), waitFor: "main a" },
      { name: "invitation-incomplete", path: "/invitation", waitFor: "main a" },
    ],
    expectedErrors: /404/,
  });
  await client.invitations.acceptToken(parseLinkToken(annInvitation.link));
  const asMember = { path: `/teams/${benTeamId}`, waitFor: "main section" };
  await inspectViews(page, {
    views: [
      { name: "invitation-accepted", path: getPath(annInvitation.link), waitFor: "main a" },
      { name: "team-as-member", ...asMember },
      {
        name: "leave-team",
        ...asMember,
        thenPress: { button: "Leave the team", waitFor: '[role="dialog"]' },
      },
    ],
    expectedErrors: /404/,
  });
  const stranger = await browsers.open(eveInvitation.link);
  await inspectViews(stranger, {
    views: [
      { name: "invitation-signed-out", path: getPath(eveInvitation.link), waitFor: "main #email" },
      {
        name: "invitation-dead-signed-out",
        path: getPath(acceptedInvitation.link),
        waitFor: "main a",
      },
    ],
    expectedErrors: /404/,
  });
});

test("unsubscribing from invitation emails meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const { mail, environment } = await startMailServer(t);
  const fixture = await startConsoleFixture(t, browsers, environment);
  const { client } = await setUpServer(fixture, browsers);
  const { id } = await client.teams.create({ name: "Operations" });
  const email = "eve.with.a.long.address@subsidiary.example.org";
  const invitation = await client.teams.invite(id, { email });
  const [received] = (await mail.waitForMails(1)).filter(({ to }) => to.includes(email));
  const link =
    /http\S+\/invitation#token=\S+/.exec(received?.text ?? "")?.[0] ?? assert.fail("no link");
  const stranger = await browsers.open(link);
  const path = getPath(link);
  const waitFor = `main ::-p-text(No more invitation emails)`;
  await inspectViews(stranger, { views: [{ name: "invitation-mails", path, waitFor }] });
  await client.invitations.refuseMails(parseLinkToken(link));
  const unsubscribedView = { path, waitFor: "main ::-p-text(Allow them again)" };
  await inspectViews(stranger, {
    views: [{ name: "invitation-mails-refused", ...unsubscribedView }],
  });
  await client.teams.removeInvitation(id, invitation.id);
  await inspectViews(stranger, { views: [{ name: "invitation-mails-over", ...unsubscribedView }] });
});

function getPath(link: string): string {
  const { pathname, hash } = new URL(link);
  return pathname + hash;
}
