import assert from "node:assert/strict";
import { test } from "node:test";
import en from "../language/en/worker.json" with { type: "json" };
import { actAndReport, createReport, findRetry, noteReplaced } from "./act-report.ts";
import type { ActOutcome, ActRequest } from "./acts.ts";

const DATA = {
  id: "0190",
  navigate: "https://push.example.org/n/0190",
  incident: null,
  prompt: "0192",
  actions: [
    ["1", "yes"],
    ["2", "no"],
  ],
};
const REPORT_DATA = { ...DATA, link: null };
const CHOICE: ActRequest = { act: "answer", promptId: "0192", answer: "yes" };
const OWN_TEXT: ActRequest = { ...CHOICE, answer: "Only after the backup" };
const INCIDENT_ACT: ActRequest = { act: "acknowledge", incidentId: "0191" };

function report(request: ActRequest, outcome: ActOutcome, data: unknown = DATA) {
  return createReport({ tag: "0192", data, request, outcome, texts: en });
}

test("the server's message about an answer silently replaces the prompt, and a tap opens the prompt's page", () => {
  const message = "The question is answered: yes";
  const silentReport = { tag: "0192", body: message, silent: true, data: REPORT_DATA };
  const data = { ...DATA, link: "https://example.org/" };
  assert.deepEqual(report(CHOICE, { kind: "done", message }, data), silentReport);
  assert.deepEqual(report(OWN_TEXT, { kind: "closed", message }, data), silentReport);
  const retriedData = { ...data, retry: OWN_TEXT, opensPage: true, promptTag: "0192" };
  assert.deepEqual(report(OWN_TEXT, { kind: "done", message }, retriedData), silentReport);
});

test("nothing is shown for an act that a push reports to every device, or for marking as read", () => {
  assert.equal(report(INCIDENT_ACT, { kind: "done", message: "Acknowledged." }), null);
  for (const outcome of [{ kind: "refused" }, { kind: "unanswered" }] as const) {
    assert.equal(report({ act: "read", notificationIds: ["0190"] }, outcome), null);
  }
});

test("the report of an unanswered act keeps the answer, and a click on it tries again", () => {
  const [choice, ownText, incident] = [CHOICE, OWN_TEXT, INCIDENT_ACT].map((request) => {
    const shown = report(request, { kind: "unanswered" });
    assert.equal(shown?.requireInteraction, true);
    assert.deepEqual(findRetry(shown.data), { request, opensPage: false });
    return shown.body;
  });
  assert.equal(choice, "Not answered: no connection. Tap to try again.");
  assert.equal(ownText, `${choice}\nOnly after the backup`);
  assert.equal(incident, "Not acknowledged: no connection. Tap to try again.");
});

test("the report of an answer in the person's own words has a tag of its own, so that the prompt does not replace it", async () => {
  const shown: NotificationOptions[] = [];
  const show = async (_title: string, options: NotificationOptions) => void shown.push(options);
  const outcomes: ActOutcome[] = [{ kind: "done", message: "Answered." }, { kind: "unanswered" }];
  const send = async (): Promise<ActOutcome> => outcomes.pop() ?? { kind: "refused" };
  const prompt = { title: "Deploy?", tag: "0192", data: DATA };
  await actAndReport({ send, show }, { notification: prompt, request: OWN_TEXT });
  const { tag = "", data } = shown[0] ?? assert.fail();
  const shownReport = { title: "Deploy?", tag, data };
  await actAndReport({ send, show }, { notification: shownReport, request: OWN_TEXT });
  assert.deepEqual(
    shown.map((options) => options.tag),
    ["0192:text", "0192"],
  );
});

test("the report of a refused answer in the person's own words keeps it, and a click also opens the page", () => {
  const ownText = report(OWN_TEXT, { kind: "refused" });
  assert.equal(ownText?.body, "Not answered. Tap to open it in Tocsin.\nOnly after the backup");
  assert.deepEqual(findRetry(ownText?.data), { request: OWN_TEXT, opensPage: true });
  for (const request of [CHOICE, INCIDENT_ACT]) {
    const shown = report(request, { kind: "refused" });
    assert.match(String(shown?.body), /^Not \w+\. Tap to open it in Tocsin\.$/);
    assert.equal(findRetry(shown?.data), null);
  }
});

test("only the report of a failed act can be tried again", () => {
  const { promptId: _promptId, ...withoutPrompt } = CHOICE as ActRequest & { act: "answer" };
  const otherActs = [
    null,
    "acknowledge",
    { act: "read", incidentId: "0191" },
    { act: "escalate" },
    withoutPrompt,
    { ...CHOICE, answer: 7 },
  ];
  for (const data of [null, "text", {}, ...otherActs.map((act) => ({ retry: act }))]) {
    assert.equal(findRetry(data), null);
  }
});

test("a push that arrives before the response stays, but a failure is always shown", async () => {
  const outcomes: readonly ActOutcome[] = [
    { kind: "done", message: "Your answer counts." },
    { kind: "closed", message: "Ben answered first: no" },
    { kind: "unanswered" },
  ];
  const listShown = async (pushedTag: string) => {
    const shown: unknown[] = [];
    for (const outcome of outcomes) {
      const notification = { title: "Deploy?", tag: "0192", data: DATA };
      const send = async () => {
        noteReplaced(pushedTag);
        return outcome;
      };
      const show = async (title: string, { tag, body }: NotificationOptions) =>
        void shown.push([title, tag, body]);
      await actAndReport({ send, show }, { notification, request: CHOICE });
    }
    return shown;
  };
  const failure = ["Deploy?", "0192", "Not answered: no connection. Tap to try again."];
  assert.deepEqual(await listShown("0192"), [failure]);
  assert.deepEqual(await listShown("0193"), [
    ["Deploy?", "0192", "Your answer counts."],
    ["Deploy?", "0192", "Ben answered first: no"],
    failure,
  ]);
});
