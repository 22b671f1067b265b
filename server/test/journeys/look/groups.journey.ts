import test from "node:test";
import { addDevice } from "../../support/app.ts";
import { lookAt } from "../../support/console-look.ts";
import { setUp, startStage } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

test("the groups page breaks no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const { page, client } = ann;
  await lookAt(page, { sights: [{ name: "groups-empty", path: "/groups", shows: "main h2" }] });
  const { device } = await addDevice({ push: stage.push }, ann, "Ann's phone");
  await addDevice({ push: stage.push }, ann, "Workshop tablet");
  await client.groups.create({ name: "On call", deviceIds: [device.id] });
  await client.groups.create({ name: "Nobody yet", deviceIds: [] });
  const onGroups = { path: "/groups", shows: "main li" };
  await lookAt(page, {
    sights: [
      { name: "groups", ...onGroups },
      {
        name: "new-group",
        ...onGroups,
        opens: { button: "Create a group", shows: '[role="dialog"] input' },
      },
      {
        name: "edit-group",
        ...onGroups,
        opens: { button: ["Actions for On call", "Edit"], shows: '[role="dialog"] input' },
      },
      {
        name: "group-address",
        ...onGroups,
        opens: {
          button: ["Actions for On call", "Use in a script"],
          shows: '[role="dialog"] pre',
        },
      },
    ],
  });
});
