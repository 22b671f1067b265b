import assert from "node:assert/strict";
import test from "node:test";
import type { Delivery, NotificationRecord } from "@tocsin/sdk";
import { makeJobsOfActedIncidentsDue } from "#apps/store/end-waits.ts";
import { addNtfyApp } from "../support/add-app.ts";
import { signUp, startApp, type TestPerson } from "../support/app.ts";
import { waitForRecord } from "../support/notification-records.ts";
import { basic } from "../support/ntfy-subscriber.ts";
import { send } from "../contract/http-requests.ts";

const ALARM = { title: "Disk full", body: "", priority: "emergency" } as const;
const QUESTION = { title: "Deploy?", body: "", choices: ["yes", "no"] } as const;

interface Sent {
  readonly incidentId?: string;
  readonly promptId?: string;
}

const ENDINGS: readonly {
  readonly code: string;
  readonly content: typeof ALARM | typeof QUESTION;
  readonly act: (person: TestPerson, sent: Sent) => Promise<unknown>;
}[] = [
  {
    code: "acknowledged",
    content: ALARM,
    act: ({ client }, { incidentId = "" }) => client.incidents.acknowledge(incidentId),
  },
  {
    code: "resolved",
    content: ALARM,
    act: ({ client }, { incidentId = "" }) => client.incidents.resolve(incidentId),
  },
  {
    code: "answered",
    content: QUESTION,
    act: ({ client }, { promptId = "" }) => client.prompts.answer(promptId, { choice: "yes" }),
  },
  {
    code: "question_ended",
    content: QUESTION,
    act: ({ client }, { promptId = "" }) => client.askedPrompts.cancel(promptId),
  },
];

for (const { code, content, act } of ENDINGS) {
  test(`an app that is off gets no message of an incident or a question that was ${code} meanwhile`, async (t) => {
    const app = await startApp(t);
    const ann = await signUp(app, "Ann");
    const { secret, topic, device } = await addNtfyApp(app, ann);
    const sent = await ann.client.notify(content);
    const id = sent.notificationId ?? "";
    const waitFor = async (state: string) => {
      const find = (deliveries: readonly Delivery[]) =>
        deliveries.find((one) => one.deviceId === device.id && one.state === state);
      const isReached = ({ deliveries }: NotificationRecord) => find(deliveries) !== undefined;
      return find((await waitForRecord(ann.client, id, isReached)).deliveries);
    };
    await waitFor("held");
    await act(ann, sent);
    assert.equal((await waitFor("cancelled"))?.code, code);
    for (const query of ["", `&id=${id}`]) {
      const path = `/${topic}/json?poll=1${query}`;
      const { text } = await send(app.url, { path, headers: basic(secret) });
      assert.ok(!text.includes(id), text);
    }
    assert.equal((await waitFor("cancelled"))?.code, code);
  });
}

test("a start of the server begins the jobs that an act ends, if the process of the act died", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { device } = await addNtfyApp(app, ann);
  const { notificationId, incidentId = "" } = await ann.client.notify(ALARM);
  const hasState = (state: string) => (record: NotificationRecord) =>
    record.deliveries.some((one) => one.deviceId === device.id && one.state === state);
  await waitForRecord(ann.client, notificationId ?? "", hasState("held"));
  const { context } = app.app;
  assert.equal(await makeJobsOfActedIncidentsDue(context), false);
  await context.database.db
    .updateTable("incident")
    .set({ state: "acknowledged" })
    .where("id", "=", incidentId)
    .execute();
  assert.equal(await makeJobsOfActedIncidentsDue(context), true);
});
