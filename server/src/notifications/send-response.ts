import type { DeviceResult } from "@tocsin/sdk";
import type { Audience } from "#devices/audiences/audience.ts";
import type { Target } from "#devices/device.ts";
import {
  explainFinalResult,
  explainWaiting,
  type NotificationLifetime,
} from "#delivery/explain.ts";
import type { Report } from "#delivery/result/watch.ts";

/** A device in a response. Its provider is null if the device left the audience before its delivery ended. */
export interface ResponseDevice {
  readonly deviceId: Target["deviceId"];
  readonly provider: Target["provider"] | null;
  /** Absent if the device left the audience. */
  readonly address?: Target["address"];
  readonly name?: string;
}

/** The audience of a send, its devices, and their results. */
export interface SendResponseInput {
  readonly audience: Audience;
  /** The notification's devices in the order of the response. */
  readonly targets: readonly ResponseDevice[];
  /** Returns the latest report of a device; null if there is none. */
  readonly getReport: (deviceId: string) => Report | null;
  /** The notification's lifetime; null if it is unknown, as for a repeated request. */
  readonly lifetime: NotificationLifetime | null;
}

/** The response to a synchronous send, with one element of `responses` per device. */
export interface SendResponse {
  readonly success: boolean;
  readonly message: string;
  readonly responses: DeviceResult[];
}

/** Returns the response to a synchronous send: one element per device, and the overall result. */
export function createSendResponse({
  audience,
  targets,
  getReport,
  lifetime,
}: SendResponseInput): SendResponse {
  const responses = targets.map((target) =>
    createDeviceResult(target, { report: getReport(target.deviceId), lifetime }),
  );
  return summarizeResponses(responses, audience);
}

/** Returns the response to a synchronous send from its results per device. */
export function summarizeResponses(
  responses: readonly DeviceResult[],
  audience: Audience,
): SendResponse {
  const results = [...responses];
  const deviceCount = responses.length;
  const deliveredCount = responses.filter(({ success }) => success).length;
  const queuedCount = responses.filter(({ message }) => message.startsWith(QUEUED_PREFIX)).length;
  if (deviceCount === 0)
    return { success: false, message: NO_DEVICES_MESSAGES[audience.kind], responses: results };
  if (deliveredCount === 0 && queuedCount > 0) {
    const message = `Accepted; 0 of ${deviceCount} delivered so far, ${queuedCount} queued`;
    return { success: true, message, responses: results };
  }
  const message = `Delivered to ${deliveredCount} of ${deviceCount} ${deviceCount === 1 ? "device" : "devices"}`;
  return { success: deliveredCount > 0, message, responses: results };
}

/** The response to a send whose results nobody waits for. */
export const ACCEPTED_RESPONSE: SendResponse = {
  success: true,
  message: "Notification accepted",
  responses: [],
};

/** The response to a repetition of a send whose notification was removed since, and with it the results per device. */
export const REMOVED_RESPONSE: SendResponse = {
  success: true,
  message: "This request was accepted before. Its results are no longer stored.",
  responses: [],
};

/** Returns a response whose message ends with a further sentence. */
export function addSentence(response: SendResponse, sentence: string): SendResponse {
  const message = response.message.replace(/\.$/, "");
  return { ...response, message: `${message}. ${sentence}` };
}

/** The response to a send whose audience is too large for results. */
export const TOO_MANY_DEVICES_RESPONSE: SendResponse = {
  success: true,
  message: "Accepted for more than 500 devices; the results are in the delivery log",
  responses: [],
};

/** Begins the message for a device that the server keeps trying, so that callers do not repeat the send. */
const QUEUED_PREFIX = "Queued";

const NO_DEVICES_MESSAGES: Readonly<Record<Audience["kind"], string>> = {
  account: "No devices are signed in to this account yet. The notification is in its feed.",
  team: "No devices are signed in to this team yet. The notification is in its members' feeds.",
  group: "No devices are in this group yet. The notification is in the account's feed.",
  device: "The device is not signed in any more. The notification is in the account's feed.",
};

function createDeviceResult(
  device: ResponseDevice,
  { report, lifetime }: { report: Report | null; lifetime: NotificationLifetime | null },
): DeviceResult {
  const { provider } = device;
  const { address, name: deviceName = "" } = device;
  const app = address?.provider === "stream" ? { client: address.client, deviceName } : null;
  if (report?.kind === "final") {
    const { result } = report;
    const message = explainFinalResult(result, lifetime, app);
    return { success: result.state === "accepted", message };
  }
  if (provider === null) {
    return {
      success: false,
      message: `${QUEUED_PREFIX}. The device was removed since, or left the audience.`,
    };
  }
  const pending = report?.pending ?? UNTRIED_DELIVERY;
  return {
    success: false,
    message: `${QUEUED_PREFIX}. ${explainWaiting(pending, { provider, lifetime, app })}`,
  };
}

const UNTRIED_DELIVERY = { code: null, detail: null, runAt: 0 };
