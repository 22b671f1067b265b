import { randomBytes } from "node:crypto";
import type { NewDevice } from "@tocsin/sdk";
import { generateServiceAccount } from "../../test/doubles/fcm/service-account.ts";
import type { TestPerson } from "../../test/support/app.ts";
import type { Scope } from "../../test/support/scope.ts";
import { startProcess } from "../start-process.ts";
import { createApnsEnvironment } from "./sender-credentials.ts";
import { signUpMany, startTocsin, type Tocsin } from "./tocsin.ts";
import { startTokenService } from "./token-service.ts";

/** A kind of phone whose push service accepts everything. */
export type Phone = keyof typeof PHONES;

/** The functions of each kind: one starts the push service and returns the server's settings, one creates a device. */
const PHONES = {
  iPhone: {
    startService: async (scope: Scope) => {
      const { origin } = await startProcess(scope, "answering-service", { args: ["plain"] });
      return createApnsEnvironment(origin);
    },
    createDevice: (): NewDevice => ({
      name: "Phone",
      platform: "ios",
      push: {
        provider: "apns",
        token: randomBytes(32).toString("hex"),
        environment: "production",
      },
    }),
  },
  Android: {
    startService: async (scope: Scope) => {
      const body = JSON.stringify({ name: "projects/bench/messages/0:1" });
      const args = ["plain", `--body=${body}`];
      const { origin } = await startProcess(scope, "answering-service", { args });
      return {
        TOCSIN_FCM_CREDENTIALS: generateServiceAccount("bench").credentials,
        TOCSIN_FCM_URL: origin,
        TOCSIN_FCM_TOKEN_URL: await startTokenService(),
      };
    },
    createDevice: (): NewDevice => ({
      name: "Phone",
      platform: "android",
      push: { provider: "fcm", token: randomBytes(80).toString("base64url") },
    }),
  },
} as const;

/** Starts the server with senders who have one phone each. */
export async function startWithPhones(
  scope: Scope,
  { phone, senderCount }: { readonly phone: Phone; readonly senderCount: number },
): Promise<{ readonly tocsin: Tocsin; readonly people: readonly TestPerson[] }> {
  const { startService, createDevice } = PHONES[phone];
  const tocsin = await startTocsin(scope, { environment: await startService(scope) });
  const people = await signUpMany(tocsin, senderCount);
  for (const { client } of people) await client.devices.create(createDevice());
  return { tocsin, people };
}
