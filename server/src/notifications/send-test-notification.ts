import { EMPTY_CONTENT, type DeviceResult, type NotificationContent } from "@tocsin/sdk";
import { createSendResponse } from "./send-response.ts";
import { awaitResults, type AwaitResultsDeps } from "./await-results.ts";
import { ReadDeadline } from "./read-deadline.ts";
import { send } from "./send.ts";

/** A test that arrives later is of no use to the person who waits for it. */
const TTL_SECONDS = 600;

const TEST_CONTENT: NotificationContent = {
  ...EMPTY_CONTENT,
  title: "It works",
  body: "This is a test notification from Tocsin.",
  channel: "test",
};

/** Returns a function that sends a test notification to one device and returns the result. */
export function createTestSender(deps: AwaitResultsDeps) {
  return async (device: { accountId: string; deviceId: string }): Promise<DeviceResult> => {
    const audience = { kind: "device", ...device } as const;
    const sent = await send(deps, {
      keyId: null,
      senderId: device.accountId,
      audience,
      draft: TEST_CONTENT,
      ttlSeconds: TTL_SECONDS,
      idempotencyKey: null,
      isAwaited: true,
      readDeadline: new ReadDeadline(0),
      charge: () => {},
    });
    const { responses } = await awaitResults(deps, { audience, sent });
    const emptyResponse = createSendResponse({
      audience,
      targets: [],
      getReport: () => null,
      lifetime: null,
    });
    return responses[0] ?? { success: false, message: emptyResponse.message };
  };
}
