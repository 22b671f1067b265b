import assert from "node:assert/strict";
import { createClient } from "@tocsin/sdk";
import { requestJson } from "../contract/http-requests.ts";
import type { TestApp, TestPerson } from "./app.ts";

/** Returns the email address and a code with which an app of Gotify can sign in, as the header that it sends. */
export async function createGotifySignIn(
  { url }: Pick<TestApp, "url">,
  name: string,
): Promise<{ readonly email: string; readonly code: string; readonly authorization: string }> {
  const email = `${name.toLowerCase()}@example.org`;
  const browser = createClient({ baseUrl: url });
  await browser.signIn({ email, password: `password of ${name}` });
  const { code } = await browser.pairings.create();
  const authorization = `Basic ${Buffer.from(`${email}:${code}`).toString("base64")}`;
  return { email, code, authorization };
}

/** Signs an app of Gotify in, and returns its token. */
export async function addGotifyApp(
  app: Pick<TestApp, "url">,
  { email }: Pick<TestPerson, "email">,
  name = "Desktop",
): Promise<string> {
  const { authorization } = await createGotifySignIn(app, toName(email));
  const signIn = { method: "POST", path: "/client", headers: { authorization } };
  const { status, text } = await requestJson(app.url, { ...signIn, body: { name } });
  assert.equal(status, 200, text);
  return JSON.parse(text).token;
}

/** The name with which `signUp` made the address. */
function toName(email: string): string {
  const [first = "", ...rest] = email.split("@", 1).join("");
  return `${first.toUpperCase()}${rest.join("")}`;
}
