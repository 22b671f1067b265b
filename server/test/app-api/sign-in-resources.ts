import { createClient } from "@tocsin/sdk";
import { SoftwareAuthenticator } from "../doubles/software-authenticator.ts";
import { passwordOf, type Stage } from "./stage.ts";

/** The owner's password. */
export const PASSWORD = passwordOf({ email: "olga@example.org" });

/** Opens a session of the owner and returns its id, as path parameters. */
export async function createSession(stage: Stage): Promise<readonly string[]> {
  const { items } = await (await signInOwner(stage)).sessions.list();
  return [items.find(({ isCurrent }) => isCurrent)?.id ?? ""];
}

/** Creates a pairing of the owner and returns its id, as path parameters. */
export async function createPairing(stage: Stage): Promise<readonly string[]> {
  return [(await (await signInOwner(stage)).pairings.create()).id];
}

/** Creates a passkey of the owner and returns its id, as path parameters. */
export async function createPasskey({ owner }: Stage): Promise<readonly string[]> {
  const authenticator = new SoftwareAuthenticator("http://localhost:8080");
  const options = await owner.client.passkeys.options({ password: PASSWORD });
  const credential = authenticator.create(options);
  return [(await owner.client.passkeys.create({ name: "Key", credential })).id];
}

async function signInOwner({ app, owner }: Stage) {
  const browser = createClient({ baseUrl: app.url });
  await browser.signIn({ email: owner.email, password: PASSWORD });
  return browser;
}
