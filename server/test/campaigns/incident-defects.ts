import type { Defect } from "./defect.ts";

const COMMIT = "incidents/store/commit-change.ts";

/** Mistakes in the changes of incidents, in their timers, and in the check before an attempt. */
export const INCIDENT_DEFECTS: readonly [Defect, ...Defect[]] = [
  {
    mistake: "a change does not compare the version that it has read",
    file: COMMIT,
    replace: `    .where("version", "=", previous.version)`,
    by: "",
    breaks: /^E1\b/,
  },
  {
    mistake: "a change compares the state, and not the version",
    file: COMMIT,
    replace: `    .where("version", "=", previous.version)`,
    by: `    .where("state", "=", previous.state)`,
    breaks: /^E1\b/,
  },
  {
    mistake: "the consequences of a change depend on the version, and not on the change",
    file: "incidents/change.ts",
    replace: "  const changeId = context.newId();",
    by: "  const changeId = `${incident.id} ${version}`;",
    breaks: /^E1\b/,
  },
  {
    mistake: "an incident is changed in one transaction, and its pushes are stored in the next",
    file: COMMIT,
    replace: "    const results = await database.atomically(statements);",
    by: `    await database.atomically(statements.slice(0, 1));
    const results = await database.atomically(statements.slice(1));`,
    breaks: /^E1\b/,
  },
  {
    mistake: "the timer that fired is removed after its change is stored",
    file: COMMIT,
    replace: "    statements.push(removeTimerQuery(context, firedTimer, changeCondition));",
    by: "    setTimeout(() => void removeFiredTimer(context, firedTimer), 1_000).unref();",
    breaks: /^E1\b/,
  },
  {
    mistake: "a process fires a timer that another one has fired",
    file: COMMIT,
    replace: "    firedTimer === null ? sql<boolean>`true` : isUnchangedSinceFired(firedTimer),",
    by: "    sql<boolean>`true`,",
    breaks: /^E1\b/,
  },
  {
    mistake: "no process checks the incident before an attempt",
    file: "delivery/attempt/try-device.ts",
    replace: "  if (job.notification.interaction !== null) {",
    by: "  if (job.notification.interaction !== null && deps.now() < 0) {",
    breaks: /^E4/,
  },
  {
    mistake: "a change whose response was lost counts as not stored",
    file: COMMIT,
    replace: "    return isStored(await readAfterDoubt(error, verdict));",
    by: "    return (await readAfterDoubt(error, verdict)) === null;",
    breaks: /^E1\b/,
  },
  {
    mistake: "a round is planned from the time at which the last one fired",
    file: "incidents/fire-timer.ts",
    replace: "  const nextPlanAt = planNext(due, repeatEveryMs, now);",
    by: "  const nextPlanAt = now + repeatEveryMs + (planNext(due, repeatEveryMs, now) - now) * 0;",
    breaks: /^E5/,
  },
  {
    mistake: "a late expiry does not wait for overdue steps",
    file: "incidents/decide.ts",
    replace: "  if (hasOverdueStep || (now > plannedAt + EXPIRY_LATE_MS && !hasWaited)) {",
    by: "  if (hasOverdueStep && now < plannedAt && hasWaited) {",
    breaks: /^E6/,
  },
  {
    mistake: "the next step keeps the moment of a clock that was wrong",
    file: "incidents/ringing.ts",
    replace: "dueAt === null || ringsSince <= now) return;",
    by: "dueAt === null || ringsSince >= 0) return;",
    breaks: /^E7/,
  },
  {
    mistake: "a step that reached nobody waits for the time of the next one",
    file: "incidents/fire-timer.ts",
    replace: `(await findStepReach(context, incident)) === "somebody"`,
    by: `(await findStepReach(context, incident)) !== null`,
    breaks: /^E8/,
  },
  {
    mistake: "triggers do not share a change",
    file: "incidents/trigger-queue.ts",
    replace: "...others.map(({ order }) => order)",
    by: "",
    breaks: /^E9/,
  },
  {
    mistake: "the link of an alarm email acts as soon as somebody opens it",
    file: "incidents/links/routes.ts",
    replace: `  server.post("/api/app/v1/acts/by-link", { schema: actSchema }, async (request) =>`,
    by: `  server.get("/api/app/v1/acts/by-link", { schema: { hide: true } }, async (request) =>
    acknowledgeByLink(deps, {
      token: (request.query as { token: string }).token,
      createActor: (accountId) => createLinkActor(request, accountId),
    }),
  );
  server.post("/api/app/v1/acts/by-link", { schema: actSchema }, async (request) =>`,
    breaks: /^E10/,
  },
  {
    mistake: "the response to an ordinary send has the id of an incident",
    file: "notifications/send-response.ts",
    replace: "  return { success: deliveredCount > 0, message, responses: results };",
    by: "  return { success: deliveredCount > 0, message, responses: results, incidentId: null };",
    breaks: /^C1/,
  },
];
