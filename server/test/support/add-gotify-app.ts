import assert from "node:assert/strict";
import { createClient } from "@tocsin/sdk";
import { requestJson } from "../contract/http-requests.ts";
import type { TestApp, TestPerson } from "./app.ts";

/** Returns the email address and a code with which a Gotify app can sign in, and the header that the app sends. */
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

/** Signs a Gotify app in, and returns the token that the app gets. */
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

/** Returns the name of the person whose address `signUp` derived from the name. */
function toName(email: string): string {
  const [first = "", ...rest] = email.split("@", 1).join("");
  return `${first.toUpperCase()}${rest.join("")}`;
}
