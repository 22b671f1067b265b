import { createPrivateKey } from "node:crypto";
import type { ApnsAddress } from "#providers/provider.ts";
import { createApnsProvider } from "#providers/apns/apns.ts";
import { ApnsService } from "../doubles/apns/apns-service.ts";
import type { ApnsRequestRecord } from "../doubles/apns/apns-push.ts";
import type { ApnsScripted } from "../doubles/apns/apns-script.ts";
import { makeProviderKey } from "../doubles/apns/provider-key.ts";
import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import { TestClock } from "../support/room.ts";
import { TEAM_ID, TOPIC } from "../support/native.ts";
import type {
  ReceivedMessage,
  ReceivedRequest,
  Phone,
  ProviderScript,
  ProviderUnderTest,
  Scope,
  StartOptions,
} from "./provider-under-test.ts";

/** Starts the APNs provider with a double of Apple's push service. */
export async function startApns(
  scope: Scope,
  { peer, ...limits }: StartOptions = {},
): Promise<ProviderUnderTest> {
  const clock = new TestClock();
  const { now, elapsed } = clock;
  const { privateKey, ...key } = makeProviderKey();
  const rules = { teamId: TEAM_ID, keys: [key], topics: [TOPIC], now } as const;
  const apple = await ApnsService.start({ ...rules, environment: "production" });
  const { origin: url, ca } = peer ?? apple;
  const provider = createApnsProvider({
    key: createPrivateKey(privateKey),
    keyId: key.keyId,
    teamId: TEAM_ID,
    topic: TOPIC,
    url,
    sandboxUrl: url,
    ca,
    now,
    elapsed,
    random: () => 0.5,
    ...limits,
  });
  scope.after(async () => {
    await provider.close();
    await apple.close();
  });
  return {
    provider,
    clock,
    addPhone: () => createPhone(new SimulatedIphone(apple), clock),
    secrets: [privateKey, "eyJ"],
    isGoneByStatus: () => false,
    isReconnectPaced: true,
  };
}

function createPhone(iphone: SimulatedIphone, clock: TestClock): Phone {
  const { token } = iphone;
  const address: ApnsAddress = {
    provider: "apns",
    token,
    environment: "production",
    isConfirmed: true,
  };
  return {
    address,
    secrets: [token],
    script: (...plans) => iphone.script(...plans.map(toScript)),
    receivedMessages: () => iphone.messages.map(toReceivedMessage),
    shownCount: () => iphone.shown.length,
    lastRequest: () => toReceivedRequest(iphone.judged.at(-1), clock.now()),
    requestCount: () => iphone.judged.length,
    received: (count) => iphone.received(count),
    unregister: () => iphone.uninstall(clock.now()),
  };
}

function toScript(plan: ProviderScript): ApnsScripted {
  switch (plan.kind) {
    case "gone":
      return { ...plan, kind: "answer", status: 410, reason: "Unregistered" };
    case "refuse credentials":
      return { ...plan, kind: "answer", status: 403, reason: "InvalidProviderToken" };
    case "answer":
    case "reset":
    case "hang":
      return plan;
  }
}

function toReceivedMessage({
  title,
  body,
  custom,
}: SimulatedIphone["messages"][number]): ReceivedMessage {
  const link = typeof custom["link"] === "string" ? custom["link"] : null;
  return { title: title ?? "", body: body ?? "", link, isTruncated: custom["truncated"] === 1 };
}

function toReceivedRequest(
  lastRecord: ApnsRequestRecord | undefined,
  now: number,
): ReceivedRequest {
  const headers = lastRecord?.headers ?? {};
  return {
    replacementId: String(headers["apns-collapse-id"]),
    ttlSeconds: Number(headers["apns-expiration"]) - Math.floor(now / 1000),
  };
}
