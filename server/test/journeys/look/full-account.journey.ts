import test from "node:test";
import { inspectViews } from "../../support/console-inspection.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { fillAccount } from "../../support/fill-account.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("pages full of channels, devices and long names meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const filledAccount = await fillAccount(fixture, ann);
  const onTeam = { path: `/teams/${filledAccount.teamId}`, waitFor: "main section" };
  const onDevices = { path: "/devices", waitFor: "main li[data-id]" };
  await inspectViews(ann.page, {
    views: [
      { name: "full-account-feed", path: "/", waitFor: "article" },
      {
        name: "full-account-opened",
        path: `/n/${filledAccount.notificationId}`,
        waitFor: "article",
      },
      { name: "full-account-log", path: "/log", waitFor: "main table, main li" },
      { name: "full-account-devices", ...onDevices },
      {
        name: "full-account-device-menu",
        ...onDevices,
        thenPress: {
          button: "Actions for Phone 7 of the night watch in the old house",
          waitFor: '[role="menu"]',
        },
      },
      { name: "full-account-groups", path: "/groups", waitFor: "main li" },
      { name: "full-account-policies", path: "/policies", waitFor: "main li ol" },
      {
        name: "full-account-edit-policy",
        path: "/policies",
        waitFor: "main li ol",
        thenPress: { button: "Create a policy", waitFor: '[role="dialog"] fieldset' },
      },
      { name: "full-account-keys", path: "/keys", waitFor: "main li" },
      { name: "full-account-send", path: "/send", waitFor: 'main input[name="title"]' },
      { name: "full-account-teams", path: "/teams", waitFor: "main li" },
      { name: "full-account-team", ...onTeam },
      {
        name: "full-account-invite",
        ...onTeam,
        thenPress: { button: "Invite people", waitFor: '[role="dialog"] textarea' },
      },
      { name: "full-account-accounts", path: "/admin/accounts", waitFor: "main li" },
    ],
  });
});
