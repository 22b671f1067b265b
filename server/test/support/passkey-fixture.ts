import type { TestContext } from "node:test";
import type { Client } from "@tocsin/sdk";
import { createAccount } from "#accounts/create-account.ts";
import type { Deviation, SoftwareAuthenticator } from "../doubles/software-authenticator.ts";
import { startAccountsServer } from "./accounts-server.ts";
import { createRoomContext } from "./context.ts";

/** The origin of the passkeys. */
export const ORIGIN = "https://push.example.org";
/** The owner of the passkeys. */
export const ANN = {
  email: "ann@example.org",
  password: "correct horse",
  name: "Ann",
  isAdmin: false,
};
const BEN = { ...ANN, email: "ben@example.org", name: "Ben" };

/** Starts the accounts room with Ann and Ben signed in. */
export async function startPasskeyFixture(t: TestContext) {
  const context = await createRoomContext(t);
  await createAccount(context, ANN);
  await createAccount(context, BEN);
  const server = await startAccountsServer(t, context, { baseUrl: ORIGIN });
  const ann = server.createClient();
  const ben = server.createClient();
  await ann.signIn(ANN);
  await ben.signIn(BEN);
  return { context, server, ann, ben };
}

/** Registers a new credential of the authenticator. */
export async function addPasskey(client: Client, authenticator: SoftwareAuthenticator) {
  const credential = authenticator.create(await client.passkeys.options());
  return client.passkeys.create({ name: "Key", credential });
}

/** Signs in with the newest credential of the authenticator. */
export async function signInWithPasskey(
  client: Client,
  authenticator: SoftwareAuthenticator,
  deviation: Deviation = {},
) {
  const credential = authenticator.get(await client.passkeySignInOptions(), deviation);
  await client.signInWithPasskey({ credential });
}
