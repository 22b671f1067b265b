import type { TestContext } from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { startApp, type TestApp, type TestAppOptions } from "./app.ts";
import { parseLinkToken } from "./link-token.ts";

/** A person with an account and a client with a browser session. */
export interface BrowserPerson {
  readonly accountId: string;
  readonly email: string;
  readonly client: Client;
}

/**
 * Starts a server whose environment leaves the sign-up policy to the administrator and sets no rate limit. Creates the
 * first administrator.
 */
export async function startAdministeredApp(
  test: TestContext,
  options: TestAppOptions = {},
): Promise<TestApp & { readonly root: BrowserPerson }> {
  const app = await startApp(test, {
    ...options,
    environment: { TOCSIN_SIGN_UP: "", TOCSIN_RATE_LIMIT_PER_S: "0", ...options.environment },
  });
  return { ...app, root: await setUpAdministrator(app, "root@example.org") };
}

/** Creates the first account, which becomes the administrator, with the set-up link. */
export async function setUpAdministrator(app: TestApp, email: string): Promise<BrowserPerson> {
  const link = (await app.app.createSetUpLink()) ?? "";
  const token = parseLinkToken(link);
  const client = createClient({ baseUrl: app.url });
  await client.signUp({ email, name: "Root", password: "password of Root", token });
  const { id: accountId } = await client.me();
  return { accountId, email, client };
}

/** Signs up a person with the administrator's invitation. The client has the new session. */
export async function inviteAndSignUp(
  { url, root }: { readonly url: string; readonly root: BrowserPerson },
  name: string,
): Promise<BrowserPerson & { readonly password: string }> {
  const { link } = await root.client.admin.invitations.create();
  const client = createClient({ baseUrl: url });
  const email = `${name.toLowerCase()}@example.org`;
  const password = `password of ${name}`;
  const token = parseLinkToken(link);
  await client.signUp({ email, name, password, token });
  const { id: accountId } = await client.me();
  return { accountId, email, password, client };
}
