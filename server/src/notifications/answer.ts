import type { DeviceResult } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";
import type { Target } from "#devices/device.ts";
import { explainEnd, explainWait, type NotificationLife } from "#delivery/explain.ts";
import type { Report } from "#delivery/result/watch.ts";

/** A device in a response. Its provider is unknown if the device was removed before its delivery ended. */
export interface Addressed {
  readonly deviceId: Target["deviceId"];
  readonly provider: Target["provider"] | null;
}

export interface AnswerInput {
  readonly audience: Audience;
  /** The notification's devices in the order of the response. */
  readonly targets: readonly Addressed[];
  /** Returns the current result of a device. */
  readonly reportOf: (deviceId: string) => Report | null;
  /** The notification's lifetime; null for a repeated request, which does not know it. */
  readonly life: NotificationLife | null;
}

/** The response to a synchronous send, with one element of `responses` per device. */
export interface SendAnswer {
  readonly success: boolean;
  readonly message: string;
  readonly responses: DeviceResult[];
}

/** Returns the response to a synchronous send: one element per device, and the overall result. */
export function answerSend({ audience, targets, reportOf, life }: AnswerInput): SendAnswer {
  const responses = targets.map((target) =>
    answerDevice(target, { report: reportOf(target.deviceId), life }),
  );
  const total = responses.length;
  const delivered = responses.filter(({ success }) => success).length;
  const queued = responses.filter(({ message }) => message.startsWith(QUEUED)).length;
  if (total === 0) return { success: false, message: NO_DEVICES[audience.kind], responses };
  if (delivered === 0 && queued > 0) {
    const message = `Accepted; 0 of ${total} delivered so far, ${queued} queued`;
    return { success: true, message, responses };
  }
  const message = `Delivered to ${delivered} of ${total} ${total === 1 ? "device" : "devices"}`;
  return { success: delivered > 0, message, responses };
}

/** The response to a send whose audience is too large for results. */
export const TOO_MANY_TO_AWAIT: SendAnswer = {
  success: true,
  message: "Accepted for more than 500 devices; the results are in the delivery log",
  responses: [],
};

/** Marks a device that the server keeps trying, so that callers do not repeat the send. */
const QUEUED = "Queued";

const NO_DEVICES: Readonly<Record<Audience["kind"], string>> = {
  account: "No devices are signed in to this account yet. The notification is in its feed.",
  team: "No devices are signed in to this team yet. The notification is in its members' feeds.",
  group: "No devices are in this group yet. The notification is in the account's feed.",
  device: "The device is not signed in any more. The notification is in the account's feed.",
};

function answerDevice(
  { provider }: Addressed,
  { report, life }: { report: Report | null; life: NotificationLife | null },
): DeviceResult {
  if (report?.kind === "final") {
    const { result } = report;
    return { success: result.state === "accepted", message: explainEnd(result, life) };
  }
  if (provider === null) {
    return {
      success: false,
      message: `${QUEUED}. The device was removed since, or left the audience.`,
    };
  }
  const pending = report?.pending ?? UNTRIED;
  return { success: false, message: `${QUEUED}. ${explainWait(pending, { provider, life })}` };
}

const UNTRIED = { code: null, detail: null, runAt: 0 };
