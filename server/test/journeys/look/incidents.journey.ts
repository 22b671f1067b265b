import assert from "node:assert/strict";
import test from "node:test";
import { inspectViews } from "../../support/console-inspection.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";

const ALARM = { body: "99 % of /var is used", priority: "emergency" } as const;

test("the incidents page and the page of an incident meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  await inspectViews(page, {
    views: [{ name: "incidents-empty", path: "/incidents", waitFor: "main h2" }],
  });
  const send = (title: string) => client.notifications.send({ ...ALARM, title });
  const open = await send("Disk full on db-1");
  const acknowledged = await send("The backup did not finish");
  const resolved = await send("The certificate has expired");
  await client.incidents.acknowledge(acknowledged.incidentId ?? assert.fail(), { note: "On it" });
  await client.incidents.resolve(resolved.incidentId ?? assert.fail());
  await inspectViews(page, {
    views: [
      { name: "incidents", path: "/incidents", waitFor: "main li" },
      { name: "incident", path: `/n/${open.id}`, waitFor: "main section button" },
    ],
  });
});
