import { createFcmProvider } from "#providers/fcm/fcm.ts";
import { parseServiceAccount } from "#providers/fcm/service-account.ts";
import type { FcmAddress } from "#providers/provider.ts";
import type { FcmDelivery } from "../doubles/fcm/fcm-registration.ts";
import type { FcmScript } from "../doubles/fcm/fcm-script.ts";
import { FcmService } from "../doubles/fcm/fcm-service.ts";
import { permissionDenied, unregistered } from "../doubles/fcm/google-errors.ts";
import { SimulatedAndroid } from "../doubles/fcm/simulated-android.ts";
import { TestClock } from "../support/room.ts";
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
  const google = await FcmService.start({ audience: "own", now });
  const credentials = parseServiceAccount(google.credentials);
  const provider = createFcmProvider({
    credentials,
    url: peer?.origin ?? google.origin,
    tokenUrl: google.tokenUrl,
    ca: peer === undefined ? google.ca : `${google.ca}\n${peer.ca}`,
    now,
    elapsed,
    random: () => 0.5,
    ...limits,
  });
  scope.after(async () => {
    await provider.close();
    await google.close();
  });
  return {
    provider,
    clock,
    addPhone: () => createPhone(new SimulatedAndroid(google)),
    secrets: ["PRIVATE KEY", "ya29.", "eyJ", credentials.clientEmail],
    isGoneByStatus: () => false,
    isReconnectPaced: true,
  };
}

function createPhone(android: SimulatedAndroid): Phone {
  const { token } = android;
  const address: FcmAddress = { provider: "fcm", kind: "token", token };
  return {
    address,
    secrets: [token],
    script: (...plans) => android.script(...plans.map(toScript)),
    receivedMessages: () => android.deliveries.map(toReceivedMessage),
    shownCount: () => android.messages.length,
    lastRequest: () => toReceivedRequest(android),
    requestCount: () => android.judged.length,
    received: (count) => android.received(count),
    unregister: () => android.uninstall(),
  };
}

function toScript(plan: ProviderScript): FcmScript {
  switch (plan.kind) {
    case "gone":
      return { ...plan, kind: "answer", ...unregistered() };
    case "refuse credentials":
      return { ...plan, kind: "answer", ...permissionDenied("tocsin-double") };
    case "reset":
      return { ...plan, kind: "cut" };
    case "answer":
    case "hang":
      return plan;
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

function toReceivedRequest({ judged }: SimulatedAndroid): ReceivedRequest {
  const verdict = judged.at(-1)?.verdict;
  if (verdict?.kind !== "accepted") throw new Error("The last request was not accepted.");
  const { data, ttlSeconds } = verdict.message;
  return { replacementId: data["id"], ttlSeconds };
}
