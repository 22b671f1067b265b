import type { Cause, NotificationContent } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";
import type { MessageInteraction, ProviderName, ReasonCode } from "#providers/provider.ts";
import type { History } from "./history.ts";

/**
 * The class of a job: 0 if its caller waits for the result, 1 if no caller waits, 2 for bulk, which must not slow the
 * others.
 */
export type Lane = 0 | 1 | 2;

/** The lanes, in the order in which due jobs are claimed. */
export const LANES: readonly Lane[] = [0, 1, 2];

/** The lane of bulk notifications. */
export const BULK_LANE: Lane = 2;

/** Maximum number of devices in a chunk or in a result page. */
export const CHUNK_MAX = 500;

/** The end of one device's delivery. Every accepted target reaches exactly one. */
export type FinalState =
  | "accepted"
  | "gone"
  | "rejected"
  | "expired"
  | "failed"
  | "cancelled"
  | "skipped";

/** The current state of one device's delivery. */
export type DeliveryState = FinalState | "queued" | "retrying" | "held";

/** The act, or the end of a question, that stops the sending of a notification that asks for an act. */
export type ActCode = "acknowledged" | "resolved" | "answered" | "question_ended";

/** The reason for a delivery's state: a provider's reason, or one of ours. */
export type DeliveryCode =
  | ReasonCode
  | "accepted"
  | "queued"
  | "expired"
  | "gave_up"
  | "crashed"
  | "cancelled"
  | ActCode
  | "not_replaceable"
  | "paused"
  | "provider_not_configured";

/** The result of one failed attempt: a provider's reason, or a crash of the process. */
export type AttemptCode = ReasonCode | "crashed";

/** The recorded result of one device's delivery. */
export interface DeliveryResult {
  readonly deviceId: string;
  readonly provider: ProviderName;
  readonly state: FinalState;
  readonly code: DeliveryCode;
  /** A short fact for people, such as a host name or the last problem before the expiry. Never a token or endpoint. */
  readonly detail: string | null;
  /** Number of attempts that count against the device, plus the one that ended the delivery, if any. */
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Every attempt, including the last. Absent if there was at most one attempt, which the other fields describe. */
  readonly history?: History;
}

/** A device whose delivery is not finished. */
export interface PendingDevice {
  readonly deviceId: string;
  /** Number of attempts that count against the device. A probe of a held service, for example, does not count. */
  readonly attempts: number;
  /** Number of all failed attempts, counted or not, except attempts that led to a hold. */
  readonly tries: number;
  /** Earliest time of the next attempt, in milliseconds since the epoch. */
  readonly runAt: number;
  /** The reason for the last retry or hold; null if there was none. */
  readonly code: AttemptCode | null;
  readonly detail: string | null;
  /** Number of marked attempts in a row, up to the last, during which the process died. */
  readonly crashes: number;
  /** The service whose release ends the wait early; null if there is none. */
  readonly waitsFor: ServiceWait | null;
  /** The attempts and holds so far; absent before the first. */
  readonly history?: History;
}

/** The wait of a device until its service is released. */
export interface ServiceWait {
  /** The name from `Provider.getServiceName`. */
  readonly service: string;
  /** Identifies the process and the service's last release before the wait. A different epoch ends the wait. */
  readonly epoch: string;
}

/** Prefix of the services that devices wait for if their provider keeps the messages; see `Provider.findFetched`. */
export const KEPT_PREFIX = "stream ";

/**
 * Time after the expiry of a message in which an app may still prove that it received the message before. Apps answer a
 * ping within seconds.
 */
export const PROOF_WAIT_MS = 10_000;

/** Returns whether a device waits until it fetches the message, and not for a push service. */
export function isKept({ waitsFor }: Pick<PendingDevice, "waitsFor">): boolean {
  return waitsFor !== null && !isPushServiceWait(waitsFor);
}

/** Returns whether a wait is for a push service, and not for a device that fetches its messages. */
export function isPushServiceWait({ service }: ServiceWait): boolean {
  return !service.startsWith(KEPT_PREFIX);
}

/** Returns the id of the feed that lists an audience's notifications: its account or team. */
export function getFeedId(audience: Audience): string {
  return audience.kind === "team" ? audience.teamId : audience.accountId;
}

/** The incident or the prompt of a notification, and the ways to act on it. */
export interface Interaction extends Omit<MessageInteraction, "alert"> {
  readonly cause: Cause;
  /** True if the push makes no sound, whatever its cause, because the incident was already acknowledged. */
  readonly isQuiet: boolean;
}

/** Returns the id of the incident that a notification belongs to. A prompt has the id of its incident. */
export function getIncidentId(interaction: Interaction | null): string | null {
  return interaction === null ? null : (interaction.incidentId ?? interaction.promptId);
}

/** A notification to accept. Its content is parsed once, where the request enters, and trusted from then on. */
export interface NewNotification extends NotificationContent {
  readonly id: string;
  readonly audience: Audience;
  readonly keyId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Null if the audience is too large to count before the response. */
  readonly deviceCount: number | null;
  /** Null for a plain notification, which asks for no action. */
  readonly interaction: Interaction | null;
  /** JSON of the parts that only apps of other services can show. They are stored, and not sent to push services. */
  readonly extras?: string | null;
}

/** The right to work on one job until `until`. A result counts only with the same `epoch`. */
export interface Lease {
  readonly jobId: string;
  readonly epoch: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly until: number;
}

/**
 * A range of device positions in an audience: after `after` ("" is the start), up to and including `upTo` ("" is the
 * end).
 */
export interface DeviceRange {
  readonly after: string;
  readonly upTo: string;
}

/** The remaining work of a job. */
export type Work =
  /** The devices of a list. */
  | { readonly kind: "devices"; readonly pending: readonly PendingDevice[] }
  /** At most 500 devices, read from the audience when the job runs. */
  | { readonly kind: "range"; readonly range: DeviceRange }
  /** A large audience that has to be split into ranges. */
  | { readonly kind: "expand"; readonly range: DeviceRange };

/** A leased job, with everything that a run needs. */
export interface LeasedJob {
  readonly lease: Lease;
  readonly lane: Lane;
  readonly notification: NewNotification;
  readonly work: Work;
  /** Number of processes that died while they held the job. */
  readonly crashes: number;
  /**
   * The mark of the step during which the last process died; null if no step was marked, or once a later run
   * has recorded results.
   */
  readonly suspect: StepMark | null;
}

/**
 * The mark of a quarantined job's step, written to the job's row before the step begins. A step is an attempt at one
 * device, one reading of the job's devices, or one part of the expansion of an audience.
 */
export interface StepMark {
  /** The device of the attempt; null while the job itself is read or expanded. */
  readonly deviceId: string | null;
  /** Number of processes in a row that died at marked steps of the job before this one. */
  readonly crashes: number;
}

/**
 * A job is quarantined after this number of processes died while they held its lease. The count does not prove that the
 * job is the cause: most such jobs only ran when something else ended the process.
 */
const QUARANTINE_CRASHES = 3;

/** Returns whether a job runs in quarantine: one step at a time, each marked in the job's row before it begins. */
export function isQuarantined({ crashes }: Pick<LeasedJob, "crashes">): boolean {
  return crashes >= QUARANTINE_CRASHES;
}

/**
 * Returns whether no outcome is recorded for any remaining device, so that work on the notification may not have begun.
 * Always false for a range, because the job that created the range came first.
 */
export function isUnstarted({ work }: Pick<LeasedJob, "work">): boolean {
  switch (work.kind) {
    case "devices":
      return work.pending.every(({ code }) => code === null);
    case "range":
      return false;
    case "expand":
      return work.range.after === "";
  }
}

/** Returns the work of delivering to devices that are due at once; null if there is no device. */
export function createDeviceWork(deviceIds: readonly string[]): Work | null {
  if (deviceIds.length === 0) return null;
  return { kind: "devices", pending: createPendingDevices(deviceIds, 0) };
}

/** Returns pending devices before their first attempt. */
export function createPendingDevices(
  deviceIds: readonly string[],
  at: number,
): readonly PendingDevice[] {
  return deviceIds.map((deviceId) => ({
    deviceId,
    attempts: 0,
    tries: 0,
    runAt: at,
    code: null,
    detail: null,
    crashes: 0,
    waitsFor: null,
  }));
}

/** Returns the state of an unfinished delivery. */
export function getWaitState({
  code,
}: Pick<PendingDevice, "code">): "queued" | "held" | "retrying" {
  if (code === null) return "queued";
  return code === "provider_misconfigured" || code === "app_not_connected" ? "held" : "retrying";
}
