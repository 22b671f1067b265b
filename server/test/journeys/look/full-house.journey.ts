import test from "node:test";
import { lookAt } from "../../support/console-look.ts";
import { setUp, startStage } from "../../support/console-stage.ts";
import { fillAccount } from "../../support/fill-account.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("pages full of channels, devices and long names break no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const house = await fillAccount(stage, ann);
  const onTeam = { path: `/teams/${house.team}`, shows: "main section" };
  const onDevices = { path: "/devices", shows: "main li[data-id]" };
  await lookAt(ann.page, {
    sights: [
      { name: "house-feed", path: "/", shows: "article" },
      { name: "house-opened", path: `/n/${house.notification}`, shows: "article" },
      { name: "house-log", path: "/log", shows: "main table, main li" },
      { name: "house-devices", ...onDevices },
      {
        name: "house-device-menu",
        ...onDevices,
        opens: {
          button: "Actions for Phone 7 of the night watch in the old house",
          shows: '[role="menu"]',
        },
      },
      { name: "house-groups", path: "/groups", shows: "main li" },
      { name: "house-keys", path: "/keys", shows: "main li" },
      { name: "house-send", path: "/send", shows: 'main input[name="title"]' },
      { name: "house-teams", path: "/teams", shows: "main li" },
      { name: "house-team", ...onTeam },
      {
        name: "house-invite",
        ...onTeam,
        opens: { button: "Invite people", shows: '[role="dialog"] textarea' },
      },
      { name: "house-accounts", path: "/admin/accounts", shows: "main li" },
    ],
  });
});
