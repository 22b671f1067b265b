import { createPrivateKey } from "node:crypto";
import type { ApnsAddress } from "#providers/provider.ts";
import { createApnsProvider } from "#providers/apns/apns.ts";
import { ApnsService } from "../doubles/apns/apns-service.ts";
import type { ApnsRequestRecord } from "../doubles/apns/apns-push.ts";
import type { ApnsScript } from "../doubles/apns/apns-script.ts";
import { generateProviderKey } from "../doubles/apns/provider-key.ts";
import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import { TestClock } from "../support/test-clock.ts";
import { TEAM_ID, TOPIC } from "../support/native-app.ts";
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
  const { privateKey, ...key } = generateProviderKey();
  const rules = { teamId: TEAM_ID, keys: [key], topics: [TOPIC], now } as const;
  const service = await ApnsService.start({ ...rules, environment: "production" });
  const { origin: url, ca } = peer ?? service;
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
    await service.close();
  });
  return {
    provider,
    clock,
    addPhone: () => createPhone(new SimulatedIphone(service), clock),
    secrets: [privateKey, "eyJ"],
    statusMeansGone: () => false,
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
    script: (...scripts) => iphone.script(...scripts.map(toScript)),
    listReceivedMessages: () => iphone.messages.map(toReceivedMessage),
    countShown: () => iphone.shownMessages.length,
    getLastRequest: () => toReceivedRequest(iphone.requests.at(-1), clock.now()),
    countRequests: () => iphone.requests.length,
    waitForRequests: (count) => iphone.waitForRequests(count),
    unregister: () => iphone.uninstall(clock.now()),
  };
}

function toScript(script: ProviderScript): ApnsScript {
  switch (script.kind) {
    case "gone":
      return { ...script, kind: "answer", status: 410, reason: "Unregistered" };
    case "refuse credentials":
      return { ...script, kind: "answer", status: 403, reason: "InvalidProviderToken" };
    case "answer":
    case "reset-connection":
    case "hang":
      return script;
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
