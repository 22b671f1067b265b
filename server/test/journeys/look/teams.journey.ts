import test from "node:test";
import { tokenOf } from "../../support/accounts.ts";
import { addDevice, signUp } from "../../support/app.ts";
import { lookAt } from "../../support/console-look.ts";
import { ANN, setUp, startStage } from "../../support/console-stage.ts";
import { join } from "../../support/membership.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("the pages of teams break no rule of WCAG 2.2 A and AA", async (t) => {
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
  const ben = await signUp(stage, "Ben", tokenOf(link));
  await join(ann, id, ben);
  const { id: bensTeam } = await ben.client.teams.create({ name: "Family" });
  await ben.client.teams.invite(bensTeam, { email: ANN.email });
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
      {
        name: "member-menu",
        ...onTeam,
        opens: { button: "Actions for Ben", shows: '[role="menu"]' },
      },
      {
        name: "revoke-invitation",
        ...onTeam,
        opens: {
          button: "Revoke the invitation of eve.with.a.long.address@subsidiary.example.org",
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

test("the page of an invitation breaks no rule of WCAG 2.2 A and AA in any of its states", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  const { id } = await client.teams.create({ name: "Operations" });
  const used = await client.teams.invite(id, { email: "ben@example.org" });
  const ben = await signUp(stage, "Ben", tokenOf(used.link));
  await ben.client.invitations.acceptToken(tokenOf(used.link));
  const { id: bensTeam } = await ben.client.teams.create({ name: "Family" });
  const toAnn = await ben.client.teams.invite(bensTeam, { email: ANN.email });
  const toEve = await client.teams.invite(id, {
    email: "eve.with.a.long.address@subsidiary.example.org",
  });
  await lookAt(page, {
    sights: [
      { name: "invitation-open", path: pathOf(toAnn.link), shows: "main button" },
      { name: "invitation-wrong-account", path: pathOf(toEve.link), shows: "main button" },
      { name: "invitation-dead", path: pathOf(used.link), shows: "main a" },
      { name: "invitation-incomplete", path: "/invitation", shows: "main a" },
    ],
    expected: /404/,
  });
  await client.invitations.acceptToken(tokenOf(toAnn.link));
  const asMember = { path: `/teams/${bensTeam}`, shows: "main section" };
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
      { name: "invitation-dead-signed-out", path: pathOf(used.link), shows: "main a" },
    ],
    expected: /404/,
  });
});

function pathOf(link: string): string {
  const { pathname, search } = new URL(link);
  return pathname + search;
}
