import test from "node:test";
import type { NewNotification } from "#delivery/delivery.ts";
import { addDevice } from "../../support/app.ts";
import { lookAt } from "../../support/console-look.ts";
import { setUp, startStage, type ConsoleStage, type Visitor } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";
import { insertActivity, insertSent, failedResult, type ResultFields } from "../../support/sent.ts";

const HOUR_MS = 3_600_000;

test("the log and its timelines break no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  await lookAt(ann.page, {
    sights: [
      { name: "log-empty", path: "/log", shows: "main h2" },
      { name: "activity-empty", path: "/activity", shows: "main h2" },
    ],
  });
  const { long, toGoneDevice } = await fillLog(stage, ann);
  await lookAt(ann.page, {
    sights: [
      { name: "log-rows", path: "/log", shows: "main li" },
      { name: "activity", path: "/activity", shows: "main dl" },
      { name: "log-failed", path: "/log?state=failed", shows: "main li" },
      { name: "log-no-match", path: "/log?q=nothing+of+this+kind", shows: "main h2" },
      {
        name: "record-long",
        path: `/log/${long.id}`,
        shows: 'ol[aria-label*="Workshop tablet"] li:nth-child(5)',
      },
      { name: "record-gone-device", path: `/log/${toGoneDevice.id}`, shows: "main ol" },
    ],
  });
});

/** Inserts a week of notifications; returns one with a long timeline and one to an unregistered device. */
async function fillLog(stage: ConsoleStage, ann: Visitor) {
  const { context } = stage.app;
  const { id: accountId } = await ann.client.me();
  const team = await ann.client.teams.create({ name: "Bereitschaft Rechenzentrum Nord" });
  const key = await ann.client.keys.create({ kind: "account", label: "Backup script" });
  const devices = await Promise.all(
    DEVICE_NAMES.map(async (name) => (await addDevice({ push: stage.push }, ann, name)).device.id),
  );
  const insert = (content: Partial<NewNotification>, results: readonly ResultFields[]) =>
    insertSent(context, accountId, { change: { keyId: key.id, ...content }, results });
  const deviceId = (index: number) => devices[index] ?? "";
  const accepted = (index: number): ResultFields => ({
    deviceId: deviceId(index),
    state: "accepted",
    code: "accepted",
  });
  const gone = {
    deviceId: deviceId(1),
    state: "gone",
    code: "device_gone",
    detail: "updates.push.example answered 410",
  } as const;
  for (const [title, body, channel] of CONTENTS) {
    await insert({ title, body, channel }, [accepted(0), accepted(1), accepted(2)]);
  }
  const audience = { kind: "team", teamId: team.id } as const;
  await insert({ title: "Failover drill", channel: "ops", audience, keyId: null }, [
    accepted(0),
    { deviceId: deviceId(2), state: "skipped", code: "paused", attempts: 0 },
  ]);
  const createdAt = context.now() - 5 * HOUR_MS;
  const long = await insert(
    { title: "Disk almost full", body: "db-1 has 2 % left", channel: "ops", createdAt },
    [accepted(0), gone, failedResult(deviceId(2), createdAt)],
  );
  await insertActivity(context, accountId);
  const toGoneDevice = await insert({ title: "Test", body: "" }, [gone]);
  return { long, toGoneDevice };
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
