import { createFcmProvider } from "#providers/fcm/fcm.ts";
import { parseServiceAccount } from "#providers/fcm/service-account.ts";
import type { FcmAddress } from "#providers/provider.ts";
import type { FcmDelivery } from "../doubles/fcm/fcm-registration.ts";
import type { FcmScript } from "../doubles/fcm/fcm-script.ts";
import { FcmService } from "../doubles/fcm/fcm-service.ts";
import {
  createPermissionDeniedError,
  createUnregisteredError,
} from "../doubles/fcm/google-errors.ts";
import { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { TestClock } from "../support/test-clock.ts";
import type {
  ReceivedMessage,
  ReceivedRequest,
  Phone,
  ProviderScript,
  ProviderUnderTest,
  Scope,
  StartOptions,
} from "./provider-under-test.ts";

/** Starts the FCM provider with a double of Firebase. */
export async function startFcm(
  scope: Scope,
  { peer, ...limits }: StartOptions = {},
): Promise<ProviderUnderTest> {
  const clock = new TestClock();
  const { now, elapsed } = clock;
  const service = await FcmService.start({ audience: "own", now });
  const credentials = parseServiceAccount(service.credentials);
  const provider = createFcmProvider({
    credentials,
    url: peer?.origin ?? service.origin,
    tokenUrl: service.tokenUrl,
    ca: peer === undefined ? service.ca : `${service.ca}\n${peer.ca}`,
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
    addPhone: () => createPhone(new SimulatedAndroid(service)),
    secrets: ["PRIVATE KEY", "ya29.", "eyJ", credentials.clientEmail],
    statusMeansGone: () => false,
    isReconnectPaced: true,
  };
}

function createPhone(android: SimulatedAndroid): Phone {
  const { token } = android;
  const address: FcmAddress = { provider: "fcm", kind: "token", token };
  return {
    address,
    secrets: [token],
    script: (...scripts) => android.script(...scripts.map(toScript)),
    listReceivedMessages: () => android.deliveries.map(toReceivedMessage),
    countShown: () => android.messages.length,
    getLastRequest: () => toReceivedRequest(android),
    countRequests: () => android.requests.length,
    waitForRequests: (count) => android.waitForRequests(count),
    unregister: () => android.uninstall(),
  };
}

function toScript(script: ProviderScript): FcmScript {
  switch (script.kind) {
    case "gone":
      return { ...script, kind: "answer", ...createUnregisteredError() };
    case "refuse credentials":
      return { ...script, kind: "answer", ...createPermissionDeniedError("tocsin-double") };
    case "answer":
    case "reset-connection":
    case "hang":
      return script;
  }
}

function toReceivedMessage({ data }: FcmDelivery): ReceivedMessage {
  return {
    title: data["title"] ?? "",
    body: data["body"] ?? "",
    link: data["link"] ?? null,
    isTruncated: data["truncated"] === "1",
  };
}

function toReceivedRequest({ requests }: SimulatedAndroid): ReceivedRequest {
  const verdict = requests.at(-1)?.verdict;
  if (verdict?.kind !== "accepted") throw new Error("The last request was not accepted.");
  const { data, ttlSeconds } = verdict.message;
  return { replacementId: data["id"], ttlSeconds };
}
