import test from "node:test";
import type { NewNotification } from "#delivery/delivery.ts";
import { addDevice } from "../../support/app.ts";
import { inspectViews } from "../../support/console-inspection.ts";
import {
  setUpServer,
  startConsoleFixture,
  type ConsoleFixture,
  type ConsoleUser,
} from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";
import {
  insertActivity,
  insertSentNotification,
  createFailedResult,
  type ResultFields,
} from "../../support/sent-notifications.ts";

const HOUR_MS = 3_600_000;

test("the log and its timelines meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  await inspectViews(ann.page, {
    views: [
      { name: "log-empty", path: "/log", waitFor: "main h2" },
      { name: "activity-empty", path: "/activity", waitFor: "main h2" },
    ],
  });
  const { longTimeline, unreachedNotification } = await fillLog(fixture, ann);
  await inspectViews(ann.page, {
    views: [
      { name: "log-rows", path: "/log", waitFor: "main li" },
      { name: "activity", path: "/activity", waitFor: "main dl" },
      { name: "log-failed", path: "/log?state=failed", waitFor: "main li" },
      { name: "log-no-match", path: "/log?q=nothing+of+this+kind", waitFor: "main h2" },
      {
        name: "record-long",
        path: `/log/${longTimeline.id}`,
        waitFor: 'ol[aria-label*="Workshop tablet"] li:nth-child(5)',
      },
      { name: "record-gone-device", path: `/log/${unreachedNotification.id}`, waitFor: "main ol" },
    ],
  });
});

/** Inserts a week of notifications; returns one with a long timeline and one to an unregistered device. */
async function fillLog(fixture: ConsoleFixture, ann: ConsoleUser) {
  const { context } = fixture.app;
  const { id: accountId } = await ann.client.me();
  const team = await ann.client.teams.create({ name: "Bereitschaft Rechenzentrum Nord" });
  const key = await ann.client.keys.create({ kind: "account", label: "Backup script" });
  const devices = await Promise.all(
    DEVICE_NAMES.map(
      async (name) => (await addDevice({ push: fixture.push }, ann, name)).device.id,
    ),
  );
  const insert = (content: Partial<NewNotification>, results: readonly ResultFields[]) =>
    insertSentNotification(context, accountId, {
      overrides: { keyId: key.id, ...content },
      results,
    });
  const deviceId = (index: number) => devices[index] ?? "";
  const createAcceptedResult = (index: number): ResultFields => ({
    deviceId: deviceId(index),
    state: "accepted",
    code: "accepted",
  });
  const goneResult = {
    deviceId: deviceId(1),
    state: "gone",
    code: "device_gone",
    detail: "updates.push.example answered 410",
  } as const;
  for (const [title, body, channel] of CONTENTS) {
    await insert({ title, body, channel }, [
      createAcceptedResult(0),
      createAcceptedResult(1),
      createAcceptedResult(2),
    ]);
  }
  const audience = { kind: "team", teamId: team.id } as const;
  await insert({ title: "Failover drill", channel: "ops", audience, keyId: null }, [
    createAcceptedResult(0),
    { deviceId: deviceId(2), state: "skipped", code: "paused", attempts: 0 },
  ]);
  const createdAt = context.now() - 5 * HOUR_MS;
  const longTimeline = await insert(
    { title: "Disk almost full", body: "db-1 has 2 % left", channel: "ops", createdAt },
    [createAcceptedResult(0), goneResult, createFailedResult(deviceId(2), createdAt)],
  );
  await insertActivity(context, accountId);
  const unreachedNotification = await insert({ title: "Test", body: "" }, [goneResult]);
  return { longTimeline, unreachedNotification };
}

const DEVICE_NAMES = ["Ann's phone", "Old laptop", "Workshop tablet"];

const CONTENTS = [
  ["Backup finished", "42 GB in 11 minutes", "backup"],
  ["Deployed api 4.2.0", "by Ann, 12 commits", "deploys"],
  [
    "Certificate of status.example.org expires in 7 days, and of seventeen further names too",
    "Renewal failed: the challenge was not answered",
    "ops",
  ],
  ["", "Ünïcödé and no title 🦊", "feed"],
] as const;
