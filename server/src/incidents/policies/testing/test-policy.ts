import { EMPTY_CONTENT, type NotificationContent, type TestOmission } from "@tocsin/sdk";
import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import {
  BULK_LANE,
  createDeviceWork,
  getFeedId,
  type NewNotification,
  type Work,
} from "#delivery/delivery.ts";
import type { ConditionalHandover } from "#delivery/accept/prepare-accept.ts";
import { createFeedEntryRow } from "#notifications/feed/store.ts";
import { readDevices, type AudienceDevices } from "../../resolve-step.ts";
import { cutToTitle } from "../../texts.ts";
import type { EscalationPolicy } from "../policy.ts";
import { findReach, type TargetReach } from "../reach.ts";
import { commitTest } from "./store.ts";

/** The dependencies of a test of a policy. */
export interface PolicyTestDeps {
  readonly context: Context;
  readonly delivery: Pick<Delivery, "prepareAccept">;
}

/** A test of the first step of a policy. */
export interface PolicyTestOrder {
  readonly policy: EscalationPolicy;
  /** The name of the person who tests. */
  readonly testerName: string;
  readonly actor: Actor;
  /** Called before the test is stored, with the number of devices that it pushes to; may throw. */
  readonly charge: (deviceCount: number) => void;
}

/** The effect of a test. */
export interface PolicyTestResult {
  readonly deviceCount: number;
  readonly personCount: number;
  /** The targets of the first step; `omission` is null for a target that is notified. */
  readonly targets: readonly {
    readonly reach: TargetReach;
    readonly omission: TestOmission | null;
  }[];
}

/** The life of a test's pushes: ten minutes. A later push is of no use to the person who waits for it. */
const LIFE_MS = 600_000;

/** Notifies the devices of a policy's first step. Opens no incident, sends no email and calls nothing back. */
export async function testPolicy(
  { context, delivery }: PolicyTestDeps,
  { policy, testerName, actor, charge }: PolicyTestOrder,
): Promise<PolicyTestResult> {
  const targets = policy.steps[0]?.targets ?? [];
  const reaches = await findReach(context, { owner: policy.owner, targets });
  const audiences = reaches.flatMap(({ audience, deviceCount }) =>
    audience === null || deviceCount === 0 ? [] : [audience],
  );
  const pushes = toPushes(await readDevices(context, audiences));
  const count = countRecipients(pushes, reaches);
  charge(count.deviceCount);
  const handovers = createHandovers(context, pushes, createContent(policy.name, testerName));
  const accepts = await commitTest(context, {
    policy,
    actor,
    prepare: (condition) => handovers.map((one) => delivery.prepareAccept(one, condition)),
  });
  for (const { begin } of accepts) begin();
  return { ...count, targets: reaches.map((reach) => ({ reach, omission: getOmission(reach) })) };
}

/** Returns the audiences with the devices that are not paused, each device once. */
function toPushes(audiences: readonly AudienceDevices[]): readonly AudienceDevices[] {
  // Only a whole team has too many devices to list, and every other audience of its policy is a part of it.
  const wholeTeam = audiences.find(({ devices }) => devices === null);
  if (wholeTeam !== undefined) return [wholeTeam];
  const coveredIds = new Set<string>();
  return audiences.flatMap(({ audience, devices }) => {
    const fresh = (devices ?? []).filter(
      ({ deviceId, pausedAt }) => pausedAt === null && !coveredIds.has(deviceId),
    );
    for (const { deviceId } of fresh) coveredIds.add(deviceId);
    return fresh.length === 0 ? [] : [{ audience, devices: fresh }];
  });
}

function countRecipients(
  pushes: readonly AudienceDevices[],
  reaches: readonly TargetReach[],
): Pick<PolicyTestResult, "deviceCount" | "personCount"> {
  if (pushes.some(({ devices }) => devices === null)) {
    const team = reaches.find(({ target }) => target.kind === "team");
    return { deviceCount: team?.deviceCount ?? 0, personCount: team?.personCount ?? 0 };
  }
  const devices = pushes.flatMap((push) => push.devices ?? []);
  const personCount = new Set(devices.map(({ accountId }) => accountId)).size;
  return { deviceCount: devices.length, personCount };
}

function getOmission({ target, isMissing, deviceCount }: TargetReach): TestOmission | null {
  if (isMissing) return "missing";
  if (target.kind === "mail" || target.kind === "callback") return "unsupported";
  return deviceCount === 0 ? "no_device" : null;
}

function createContent(policyName: string, testerName: string): NotificationContent {
  return {
    ...EMPTY_CONTENT,
    title: cutToTitle(`Test of the policy “${policyName}”`),
    body: `${testerName} tests who is told first in an emergency. Nothing has happened, and nobody has to do anything.`,
    channel: "test",
    priority: "high",
  };
}

function createHandovers(
  { newId, now }: Context,
  pushes: readonly AudienceDevices[],
  content: NotificationContent,
): readonly ConditionalHandover[] {
  const filedIds = new Set<string>();
  return pushes.map(({ audience, devices }) => {
    const createdAt = now();
    const notification: NewNotification = {
      id: newId(),
      audience,
      keyId: null,
      ...content,
      createdAt,
      expiresAt: createdAt + LIFE_MS,
      deviceCount: devices?.length ?? null,
      interaction: null,
    };
    const feedId = getFeedId(audience);
    // Several devices of a person are one line in the person's feed.
    const extraRows = filedIds.has(feedId) ? [] : [createFeedEntryRow(notification)];
    filedIds.add(feedId);
    const work: Work | null =
      devices === null
        ? { kind: "expand", range: { after: "", upTo: "" } }
        : createDeviceWork(devices.map(({ deviceId }) => deviceId));
    const lane = devices === null ? BULK_LANE : 0;
    return { request: { notification, lane, work }, extraRows, targets: devices };
  });
}
