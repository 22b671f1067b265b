import { createClient } from "@tocsin/sdk";
import { SoftwareAuthenticator } from "../doubles/software-authenticator.ts";
import { getPassword, type AppFixture } from "./app-fixture.ts";

/** The owner's password. */
export const PASSWORD = getPassword({ email: "olga@example.org" });

/** Opens a session of the owner and returns its id, as path parameters. */
export async function createSession(fixture: AppFixture): Promise<readonly string[]> {
  const { items } = await (await signInOwner(fixture)).sessions.list();
  return [items.find(({ isCurrent }) => isCurrent)?.id ?? ""];
}

/** Creates a pairing of the owner and returns its id, as path parameters. */
export async function createPairing(fixture: AppFixture): Promise<readonly string[]> {
  return [(await (await signInOwner(fixture)).pairings.create()).id];
}

/** Creates a passkey of the owner and returns its id, as path parameters. */
export async function createPasskey({ owner }: AppFixture): Promise<readonly string[]> {
  const authenticator = new SoftwareAuthenticator("http://localhost:8080");
  const options = await owner.client.passkeys.options({ password: PASSWORD });
  const credential = authenticator.create(options);
  return [(await owner.client.passkeys.create({ name: "Key", credential })).id];
}

async function signInOwner({ app, owner }: AppFixture) {
  const browser = createClient({ baseUrl: app.url });
  await browser.signIn({ email: owner.email, password: PASSWORD });
  return browser;
}
