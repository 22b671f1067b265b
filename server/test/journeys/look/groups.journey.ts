import test from "node:test";
import { addDevice } from "../../support/app.ts";
import { inspectViews } from "../../support/console-inspection.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("the groups page meets WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const { page, client } = ann;
  await inspectViews(page, {
    views: [{ name: "groups-empty", path: "/groups", waitFor: "main h2" }],
  });
  const { device } = await addDevice({ push: fixture.push }, ann, "Ann's phone");
  await addDevice({ push: fixture.push }, ann, "Workshop tablet");
  await client.groups.create({ name: "On call", deviceIds: [device.id] });
  await client.groups.create({ name: "Nobody yet", deviceIds: [] });
  const onGroups = { path: "/groups", waitFor: "main li" };
  await inspectViews(page, {
    views: [
      { name: "groups", ...onGroups },
      {
        name: "new-group",
        ...onGroups,
        thenPress: { button: "Create a group", waitFor: '[role="dialog"] input' },
      },
      {
        name: "edit-group",
        ...onGroups,
        thenPress: { button: ["Actions for On call", "Edit"], waitFor: '[role="dialog"] input' },
      },
      {
        name: "group-address",
        ...onGroups,
        thenPress: {
          button: ["Actions for On call", "Use in a script"],
          waitFor: '[role="dialog"] pre',
        },
      },
    ],
  });
});
