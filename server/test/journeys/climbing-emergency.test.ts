import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { watchMachineDelay } from "../support/machine-delay.ts";
import { addMember } from "../support/team-members.ts";
import { addAndroid, startNativeApp } from "../support/native-app.ts";

const ALARM = {
  title: "Disk full",
  body: "",
  priority: "emergency",
  escalation: "Nights",
} as const;

/** The allowed lateness of a step on an idle machine. */
const LATE_MAX_MS = 250;
/** A step waits for the processor before its timer, its reads, its commit, and its push attempt. */
const WAITS_PER_STEP = 5;

/** The times of the second, third and fourth step after the first. */
const STEP_SECONDS = { ben: 2, team: 4, benAgain: 5 } as const;

/** Creates Ann's team, with Ben as a member. */
async function createTeam(app: TestApp) {
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  const benId = await addMember(ann, teamId, ben);
  return { ann, ben, teamId, benId, sender: ann.withKey(key) };
}

/**
 * Creates a team whose policy rings a group with Ann's pager at once, then Ben, then everybody, and then Ben again.
 */
async function startClimbingTeam(t: TestContext) {
  const app = await startApp(t);
  const team = await createTeam(app);
  const { ann, ben, teamId, benId } = team;
  const cleo = await signUp(app, "Cleo");
  await addMember(ann, teamId, cleo);
  const { device: pager, phone: annPager } = await addDevice(app, ann, "Pager");
  const phones = {
    annPager,
    benPhone: (await addDevice(app, ben)).phone,
    annPhone: (await addDevice(app, ann)).phone,
    cleoPhone: (await addDevice(app, cleo)).phone,
  };
  const group = await ann.client.groups.create({ name: "Pagers", deviceIds: [pager.id] });
  const member = { kind: "member", accountId: benId } as const;
  await ann.client.escalationPolicies.create({
    teamId,
    name: ALARM.escalation,
    steps: [
      { afterSeconds: 0, targets: [{ kind: "group", groupId: group.id }] },
      { afterSeconds: STEP_SECONDS.ben, targets: [member] },
      { afterSeconds: STEP_SECONDS.team, targets: [{ kind: "team" }] },
      { afterSeconds: STEP_SECONDS.benAgain, targets: [member] },
    ],
  });
  return { app, ...team, phones };
}

type Phones = Awaited<ReturnType<typeof startClimbingTeam>>["phones"];

/** Returns the number of requests to each device. */
function countRequests({ annPager, benPhone, annPhone, cleoPhone }: Phones): readonly number[] {
  return [annPager, benPhone, annPhone, cleoPhone].map(({ requests }) => requests.length);
}

/** Resolves with the times from this call to the first push of each device, in milliseconds. */
function measureArrivals({ annPager, benPhone, annPhone, cleoPhone }: Phones) {
  const startedAt = performance.now();
  const phones = [annPager, benPhone, annPhone, cleoPhone];
  return Promise.all(
    phones.map(async (phone) => {
      await phone.waitForRequests(1);
      return performance.now() - startedAt;
    }),
  );
}

/** Returns the opening time of the person's only incident, and its history without pushes. */
async function readHistory({ client }: TestPerson) {
  const [incident] = (await client.incidents.list()).items;
  const { history, openedAt } = await client.incidents.get(incident?.id ?? "");
  const entries = history.filter(({ kind }) => kind !== "push");
  return { openedAt: Date.parse(openedAt), entries };
}

/** Returns each entry of a history as a text, such as `step 2 planned`. */
function formatEntries({ entries }: Awaited<ReturnType<typeof readHistory>>): readonly string[] {
  return entries.map(({ kind, detail: { step, reason } }) =>
    kind === "step" ? `step ${step} ${reason}` : kind,
  );
}

test("an emergency climbs from a group to a person to everybody, until somebody acknowledges it", async (t) => {
  const { ann, ben, sender, phones } = await startClimbingTeam(t);
  const readMachineDelayMs = watchMachineDelay(t);
  const arrivals = measureArrivals(phones);
  const { incidentId = "" } = await sender.notify(ALARM);
  // Each step rings only the people whom it adds.
  await phones.benPhone.waitForRequests(1);
  assert.deepEqual(countRequests(phones), [1, 1, 0, 0]);
  const [first, second, ...third] = await arrivals;
  assert.deepEqual(countRequests(phones), [1, 1, 1, 1]);
  const limitMs = LATE_MAX_MS + WAITS_PER_STEP * readMachineDelayMs();
  await ben.client.incidents.acknowledge(incidentId);
  // Everybody who was rung learns who acknowledged it: later steps removed nobody.
  await Promise.all(Object.values(phones).map((phone) => phone.waitForRequests(2)));
  const { state, acknowledgement, step } = await sender.receipts.get(incidentId);
  assert.deepEqual([state, acknowledgement?.name, step], ["acknowledged", "Ben", 3]);
  const history = await readHistory(ann);
  const stepFourAt = history.openedAt + STEP_SECONDS.benAgain * 1_000;
  const isStepFourOverdue = () => Date.now() > stepFourAt + LATE_MAX_MS;
  await eventually(async () => isStepFourOverdue(), Boolean);
  assert.deepEqual(formatEntries(await readHistory(ann)), [
    "opened",
    "step 1 trigger",
    "step 2 planned",
    "step 3 planned",
    "acknowledged",
  ]);
  assert.deepEqual(countRequests(phones), [2, 2, 2, 2]);
  assertPunctual(
    [second ?? 0, ...third].map((ms) => ms - (first ?? 0)),
    limitMs,
  );
  for (const { kind, detail } of history.entries)
    if (kind === "step") assert.ok(Number(detail["lateMs"]) <= limitMs, JSON.stringify(detail));
});

/** Asserts that Ben, and then the rest of the team, was rung at the times of their steps. */
function assertPunctual(arrivals: readonly number[], limitMs: number): void {
  for (const [index, ms] of arrivals.entries()) {
    const lateMs = ms - (index === 0 ? STEP_SECONDS.ben : STEP_SECONDS.team) * 1_000;
    // Negative if the push of the first step itself arrived late.
    assert.ok(Math.abs(lateMs) <= limitMs, `${lateMs} ms late, above ${limitMs} ms`);
  }
}

test("a round rings the people of every step so far, and nobody of a later step", async (t) => {
  const { ann, ben, sender, phones } = await startClimbingTeam(t);
  const { incidentId = "" } = await sender.notify(ALARM);
  await ann.client.incidents.escalate(incidentId);
  await phones.benPhone.waitForRequests(1);
  await ben.client.incidents.ringAgain(incidentId);
  await Promise.all([phones.annPager.waitForRequests(2), phones.benPhone.waitForRequests(2)]);
  await ben.client.incidents.acknowledge(incidentId);
  await Promise.all([phones.annPager.waitForRequests(3), phones.benPhone.waitForRequests(3)]);
  assert.deepEqual(countRequests(phones), [3, 3, 0, 0]);
});

test("an emergency whose first devices are all gone rings the next person at once", async (t) => {
  const app = await startNativeApp(t);
  const { ann, ben, teamId, benId, sender } = await createTeam(app);
  const { phone, device: browser } = await addDevice(app, ann);
  const { android, device: uninstalled } = await addAndroid(app, ann);
  const { phone: benPhone } = await addDevice(app, ben);
  const deviceIds = [browser.id, uninstalled.id];
  const group = await ann.client.groups.create({ name: "Dead", deviceIds });
  const targets = [{ kind: "group", groupId: group.id } as const];
  const member = { kind: "member", accountId: benId } as const;
  const steps = [
    { afterSeconds: 0, targets },
    { afterSeconds: 600, targets: [member] },
  ];
  await ann.client.escalationPolicies.create({ teamId, name: ALARM.escalation, steps });
  phone.unsubscribe();
  android.uninstall();
  const readMachineDelayMs = watchMachineDelay(t);
  const startedAt = performance.now();
  await sender.notifyAsync(ALARM);
  await benPhone.waitForRequests(1);
  const elapsedMs = performance.now() - startedAt;
  // Twice as many waits, because the first step and its failed attempts come before the second step.
  const limitMs = 1_000 + 2 * WAITS_PER_STEP * readMachineDelayMs();
  assert.ok(elapsedMs <= limitMs, `rung after ${elapsedMs} ms, above ${limitMs} ms`);
  assert.deepEqual(formatEntries(await readHistory(ann)), [
    "opened",
    "step 1 trigger",
    "step 2 reached_nobody",
  ]);
  assert.equal(phone.requests.length, 1);
});
