import { createPrivateKey } from "node:crypto";
import type { ApnsAddress } from "#providers/provider.ts";
import { createApnsProvider } from "#providers/apns/apns.ts";
import { ApnsService } from "../doubles/apns/apns-service.ts";
import type { ApnsJudged } from "../doubles/apns/apns-push.ts";
import type { ApnsScripted } from "../doubles/apns/apns-script.ts";
import { makeProviderKey } from "../doubles/apns/provider-key.ts";
import { SimulatedIphone } from "../doubles/apns/simulated-iphone.ts";
import { TestClock } from "../support/room.ts";
import { TEAM_ID, TOPIC } from "../support/native.ts";
import type {
  Arrived,
  Asked,
  Phone,
  Plan,
  ProviderUnderTest,
  Scope,
  StartOptions,
} from "./provider-under-test.ts";

/** Starts the provider for iPhones before Apple's push service. */
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
    addPhone: () => phoneOf(new SimulatedIphone(apple), clock),
    secrets: [privateKey, "eyJ"],
    isGoneByStatus: () => false,
    isReconnectPaced: true,
  };
}

function phoneOf(iphone: SimulatedIphone, clock: TestClock): Phone {
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
    plan: (...plans) => iphone.script(...plans.map(scriptOf)),
    arrived: () => iphone.messages.map(arrivedOf),
    shownCount: () => iphone.shown.length,
    lastAsked: () => askedOf(iphone.judged.at(-1), clock.now()),
    askedCount: () => iphone.judged.length,
    received: (count) => iphone.received(count),
    end: () => iphone.uninstall(clock.now()),
  };
}

function scriptOf(plan: Plan): ApnsScripted {
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

function arrivedOf({ title, body, custom }: SimulatedIphone["messages"][number]): Arrived {
  const link = typeof custom["link"] === "string" ? custom["link"] : null;
  return { title: title ?? "", body: body ?? "", link, isTruncated: custom["truncated"] === 1 };
}

function askedOf(judged: ApnsJudged | undefined, now: number): Asked {
  const headers = judged?.headers ?? {};
  return {
    replacingId: String(headers["apns-collapse-id"]),
    lifeSeconds: Number(headers["apns-expiration"]) - Math.floor(now / 1000),
  };
}
