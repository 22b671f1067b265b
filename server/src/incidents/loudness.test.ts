import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { NotificationContent, Priority } from "@tocsin/sdk";
import { SERVER } from "#audit/event.ts";
import type { Message } from "#providers/provider.ts";
import { addDevice, runWorkerOnce } from "../../test/support/delivery-bench.ts";
import {
  createAct,
  createTriggerOrder,
  startIncidentBench,
  type IncidentBench,
} from "../../test/support/incident-bench.ts";
import { buildUrgency } from "../../test/support/push-urgency.ts";
import { ACCEPTED } from "../../test/support/scripted-provider.ts";
import type { ActKind } from "./act.ts";

type Content = Partial<NotificationContent>;

/** An incident whose pushes the test reads. */
interface OpenIncident {
  readonly bench: IncidentBench;
  /** Returns the pushes since the last call, each with its cause, its loudness and its priority. */
  readonly takePushes: () => readonly string[];
  readonly trigger: (content: Content) => Promise<void>;
  readonly act: (kind: ActKind) => Promise<void>;
}

async function openIncident(t: TestContext, priority: Priority): Promise<OpenIncident> {
  const bench = await startIncidentBench(t);
  const messages: Message[] = [];
  await addDevice(bench, "good/1");
  bench.provider.script("good/1", async (message) => {
    messages.push(message);
    return ACCEPTED;
  });
  let incidentId = "";
  const trigger = async (content: Content) => {
    const order = createTriggerOrder(bench, { content, expireAfterMs: 90_000 });
    const result = await bench.incidents.trigger(order);
    if (result.kind === "changed") incidentId = result.change.incident.id;
    await bench.waitUntilIdle();
  };
  await trigger({ priority });
  return {
    bench,
    takePushes: () => messages.splice(0).map(describePush),
    trigger,
    async act(kind) {
      const order = { incidentId, kind, act: createAct(bench), actor: SERVER, content: null };
      await bench.incidents.act(order);
      await bench.waitUntilIdle();
    },
  };
}

function describePush(message: Message): string {
  return [message.interaction?.cause, describeLoudness(message), message.priority].join(" ");
}

/** Returns how loud a push is: one phrase if all services agree, otherwise their settings. */
function describeLoudness(message: Message): string {
  const { apns, fcm, webpush } = buildUrgency(message);
  // `Urgency` labels the elements.
  const [level, , apnsSound, , apnsRenotify] = apns;
  const [, fcmSound, , fcmRenotify] = fcm;
  const [isSilent, staysOnScreen, , webpushRenotify] = webpush;
  const isQuiet = [level === "passive" && !apnsSound, !fcmSound, isSilent && !staysOnScreen];
  const isLoud = [apnsSound && apnsRenotify, fcmSound && fcmRenotify, webpushRenotify];
  const soundsOnlyAlone = [!apnsSound && !apnsRenotify, !fcmRenotify, !webpushRenotify];
  if (isQuiet.every(Boolean)) return "quiet";
  if (isLoud.every(Boolean)) return "loud";
  // Replaces an earlier notification silently, and sounds on a device that shows none.
  if (!isQuiet.some(Boolean) && soundsOnlyAlone.every(Boolean)) return "in place";
  return JSON.stringify({ apns, fcm, webpush });
}

const OTHER = { title: "Disk fuller" };

for (const priority of ["normal", "emergency"] as const) {
  test(`another text of an open ${priority} incident replaces its notification in place`, async (t) => {
    const { bench, takePushes, trigger } = await openIncident(t, priority);
    assert.deepEqual(takePushes(), [`trigger loud ${priority}`]);
    bench.context.clock.advance(60_000);
    await trigger({ ...OTHER, priority });
    assert.deepEqual(takePushes(), [`update in place ${priority}`]);
  });

  test(`another text of an acknowledged ${priority} incident is quiet`, async (t) => {
    const { bench, takePushes, trigger, act } = await openIncident(t, priority);
    await act("acknowledge");
    takePushes();
    bench.context.clock.advance(60_000);
    await trigger({ ...OTHER, priority });
    assert.deepEqual(takePushes(), [`update quiet ${priority}`]);
  });

  test(`a text that waits for its push is quiet if its ${priority} incident was acknowledged meanwhile`, async (t) => {
    const { bench, takePushes, trigger, act } = await openIncident(t, priority);
    bench.context.clock.advance(10_000);
    await trigger({ ...OTHER, priority });
    await act("acknowledge");
    takePushes();
    await bench.advance(50_000);
    assert.deepEqual(takePushes(), [`update quiet ${priority}`]);
  });

  test(`a repeated text of an open or acknowledged ${priority} incident is not pushed`, async (t) => {
    const { takePushes, trigger, act } = await openIncident(t, priority);
    takePushes();
    await trigger({ priority });
    assert.deepEqual(takePushes(), []);
    await act("acknowledge");
    takePushes();
    await trigger({ priority });
    assert.deepEqual(takePushes(), []);
  });

  test(`an acknowledgement and a resolution of an incident of priority ${priority} are quiet`, async (t) => {
    const { takePushes, act } = await openIncident(t, priority);
    takePushes();
    await act("acknowledge");
    await act("resolve");
    const pushes = takePushes().map((push) => push.split(" ", 2).join(" "));
    assert.deepEqual(pushes, ["acknowledgement quiet", "resolution quiet"]);
  });
}

test("a push that waits for a retry is not sent after an acknowledgement", async (t) => {
  const { bench, trigger, act } = await openIncident(t, "emergency");
  const causes: unknown[] = [];
  bench.provider.script("good/1", async ({ interaction }) => {
    causes.push(interaction?.cause);
    const reason = { code: "unreachable", detail: null } as const;
    return causes.length > 1 ? ACCEPTED : { kind: "retry", reason, afterMs: 0, isCounted: true };
  });
  bench.context.clock.advance(60_000);
  await trigger({ ...OTHER, priority: "emergency" });
  await act("acknowledge");
  bench.context.clock.advance(60_000);
  await runWorkerOnce(bench.delivery.worker);
  assert.deepEqual(causes, ["update", "acknowledgement"]);
});

for (const state of ["open", "acknowledged"] as const) {
  test(`a text that raises the priority of an ${state} incident is loud`, async (t) => {
    const { takePushes, trigger, act } = await openIncident(t, "normal");
    if (state === "acknowledged") await act("acknowledge");
    takePushes();
    await trigger({ ...OTHER, priority: "emergency" });
    assert.deepEqual(takePushes(), ["trigger loud emergency"]);
  });
}

for (const [name, content] of [
  ["the same", {}],
  ["another", OTHER],
] as const) {
  test(`${name} text of an expired incident is loud`, async (t) => {
    const { bench, takePushes, trigger } = await openIncident(t, "emergency");
    await bench.advance(60_000);
    await bench.advance(30_000);
    takePushes();
    await trigger({ ...content, priority: "emergency" });
    assert.deepEqual(takePushes(), ["trigger loud emergency"]);
  });
}
