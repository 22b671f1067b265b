import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, signUp } from "../../support/app.ts";
import { lookAt, type View } from "../../support/console-look.ts";
import { ANN, setUp, startStage } from "../../support/console-stage.ts";
import { startMail } from "../../support/start-mail.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";
import { linkToken } from "../../support/link-token.ts";

/** The invitation dialog after input that contains no email address. */
const INVALID_EMAIL = {
  name: "invite-no-address",
  opens: { button: "Invite people", shows: '[role="dialog"] textarea' },
  act: async (tab) => {
    await tab.page.locator('[role="dialog"] textarea').fill("dan(at)example.org, zoe");
    await tab.find('[role="dialog"] ::-p-aria([name="Invite people"])').click();
    await tab.see('[role="dialog"] ::-p-text(These are not e-mail addresses)');
  },
} satisfies Omit<View, "path" | "shows">;

test("the team pages break no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page, client } = ann;
  await lookAt(page, {
    sights: [{ name: "teams-empty", path: "/teams", shows: "main h2" }],
  });
  await addDevice({ push: stage.push }, ann, "Ann's phone");
  const { id } = await client.teams.create({ name: "Operations" });
  const { link } = await client.teams.invite(id, { email: "ben@example.org" });
  await client.teams.invite(id, { email: "eve.with.a.long.address@subsidiary.example.org" });
  const ben = await signUp(stage, "Ben", linkToken(link));
  const { id: benTeamId } = await ben.client.teams.create({ name: "Family" });
  await ben.client.teams.invite(benTeamId, { email: ANN.email });
  const onTeam = { path: `/teams/${id}`, shows: "main section" };
  await lookAt(page, {
    sights: [
      { name: "teams", path: "/teams", shows: "main li" },
      { name: "team", ...onTeam },
      { name: "team-gone", path: "/teams/none", shows: "main h2" },
      {
        name: "invite",
        ...onTeam,
        opens: { button: "Invite people", shows: '[role="dialog"] textarea' },
      },
      { ...INVALID_EMAIL, ...onTeam },
      {
        name: "member-menu",
        ...onTeam,
        opens: { button: "Actions for Ben", shows: '[role="menu"]' },
      },
      {
        name: "revoke-invitation",
        ...onTeam,
        opens: {
          button: "Revoke the invitation for eve.with.a.long.address@subsidiary.example.org",
          shows: '[role="dialog"]',
        },
      },
      {
        name: "remove-member",
        ...onTeam,
        opens: { button: ["Actions for Ben", "Remove from the team"], shows: '[role="dialog"]' },
      },
      {
        name: "delete-team",
        ...onTeam,
        opens: { button: "Delete the team", shows: '[role="dialog"] input' },
      },
    ],
    expected: /404/,
  });
});

test("the invitation page breaks no rule of WCAG 2.2 A and AA in any of its states", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  const { id } = await client.teams.create({ name: "Operations" });
  const acceptedInvitation = await client.teams.invite(id, { email: "ben@example.org" });
  const ben = await signUp(stage, "Ben", linkToken(acceptedInvitation.link));
  const { id: benTeamId } = await ben.client.teams.create({ name: "Family" });
  const toAnn = await ben.client.teams.invite(benTeamId, { email: ANN.email });
  const toEve = await client.teams.invite(id, {
    email: "eve.with.a.long.address@subsidiary.example.org",
  });
  await lookAt(page, {
    sights: [
      { name: "invitation-open", path: pathOf(toAnn.link), shows: "main button" },
      { name: "invitation-wrong-account", path: pathOf(toEve.link), shows: "main button" },
      { name: "invitation-dead", path: pathOf(acceptedInvitation.link), shows: "main a" },
      { name: "invitation-incomplete", path: "/invitation", shows: "main a" },
    ],
    expected: /404/,
  });
  await client.invitations.acceptToken(linkToken(toAnn.link));
  const asMember = { path: `/teams/${benTeamId}`, shows: "main section" };
  await lookAt(page, {
    sights: [
      { name: "invitation-accepted", path: pathOf(toAnn.link), shows: "main a" },
      { name: "team-as-member", ...asMember },
      {
        name: "leave-team",
        ...asMember,
        opens: { button: "Leave the team", shows: '[role="dialog"]' },
      },
    ],
    expected: /404/,
  });
  const stranger = await browsers.open(toEve.link);
  await lookAt(stranger, {
    sights: [
      { name: "invitation-signed-out", path: pathOf(toEve.link), shows: "main #email" },
      {
        name: "invitation-dead-signed-out",
        path: pathOf(acceptedInvitation.link),
        shows: "main a",
      },
    ],
    expected: /404/,
  });
});

test("unsubscribing from invitation mails breaks no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const { mail, environment } = await startMail(t);
  const stage = await startStage(t, browsers, environment);
  const { client } = await setUp(stage, browsers);
  const { id } = await client.teams.create({ name: "Operations" });
  const email = "eve.with.a.long.address@subsidiary.example.org";
  const invitation = await client.teams.invite(id, { email });
  const [received] = (await mail.received(1)).filter(({ to }) => to.includes(email));
  const link =
    /http\S+\/invitation#token=\S+/.exec(received?.text ?? "")?.[0] ?? assert.fail("no link");
  const stranger = await browsers.open(link);
  const [path, shows] = [pathOf(link), `main ::-p-text(No more invitation e-mails)`];
  await lookAt(stranger, { sights: [{ name: "invitation-mails", path, shows }] });
  await client.invitations.refuseMails(linkToken(link));
  const refused = { path, shows: "main ::-p-text(Allow them again)" };
  await lookAt(stranger, { sights: [{ name: "invitation-mails-refused", ...refused }] });
  await client.teams.removeInvitation(id, invitation.id);
  await lookAt(stranger, { sights: [{ name: "invitation-mails-over", ...refused }] });
});

function pathOf(link: string): string {
  const { pathname, hash } = new URL(link);
  return pathname + hash;
}
