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
        name: "delete-team",
        ...onTeam,
        opens: { button: "Delete the team", shows: '[role="dialog"] input' },
      },
    ],
    expected: /404/,
  });
});
