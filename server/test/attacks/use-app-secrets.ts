import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Client } from "@tocsin/sdk";
import { requestJson, send } from "../contract/http-requests.ts";
import { openWebSocket } from "../support/ntfy-subscriber.ts";

const WRONG_PASSWORD = "cana-ryca-nary-cana";
const WRONG_TOKEN = "tk_canaryappcanaryappcanaryapp12";
const WRONG_CLIENT_TOKEN = `C${"canaryclient".repeat(4).slice(0, 43)}`;

/** The server, a signed-in client, and the test at whose end connections close. */
export interface AppSecretsInput {
  readonly t: TestContext;
  readonly client: Client;
  readonly url: string;
}

/**
 * Connects the apps of ntfy and Gotify with their secrets, and with wrong ones, in every place of a secret. Returns the
 * secrets by name, and the topic of the ntfy app, which only its owner should know.
 */
export async function useAppSecrets(input: AppSecretsInput) {
  const { email } = await input.client.me();
  const ntfy = await useNtfyApp(input, email);
  const gotify = await useGotifyApp(input, email);
  return { topic: ntfy.topic, secrets: { ...ntfy.secrets, ...gotify } };
}

async function useNtfyApp({ t, client, url }: AppSecretsInput, email: string) {
  const phone = { client: "ntfy", name: "Phone", platform: "android" } as const;
  const { topic, password } = await client.devices.addApp(phone);
  const headers = createBasicHeaders(email, password);
  const path = "/v1/account/token";
  const body = { label: "House" };
  const made = await requestJson(url, { method: "POST", path, headers, body });
  assert.equal(made.status, 200);
  const { token } = JSON.parse(made.text);
  await openWebSocket(t, `${url}/${topic}/ws`, headers);
  await client.notifications.send({ title: "Hello", body: "World" });
  for (const secret of [password, password.replaceAll("-", ""), token, WRONG_PASSWORD, WRONG_TOKEN])
    await subscribe(url, { topic, email, secret });
  await requestJson(url, { method: "DELETE", path, headers: { ...headers, "x-token": token } });
  return {
    topic,
    secrets: {
      "an app password": password,
      "an app password without hyphens": password.replaceAll("-", ""),
      "the header of an app": headers.authorization.slice("Basic ".length),
      "the token of an app": token,
      "a wrong app password": WRONG_PASSWORD,
      "a wrong token of an app": WRONG_TOKEN,
    },
  };
}

/** Polls in valid and invalid ways, with the secret in the header, in the query, and as topic. */
async function subscribe(
  url: string,
  { topic, email, secret }: { readonly [Name in "topic" | "email" | "secret"]: string },
): Promise<void> {
  const bearer = { authorization: `Bearer ${secret}` };
  const auth = Buffer.from(bearer.authorization).toString("base64url");
  for (const headers of [createBasicHeaders(email, secret), bearer, {}]) {
    for (const path of [
      `/${topic}/json?poll=1&auth=${auth}`,
      `/${topic}/json?since=${secret}&auth=${auth}`,
      `/${secret}/raw?poll=1&auth=${auth}`,
      `/${topic}/${secret}?auth=${auth}`,
    ])
      await send(url, { path, headers });
    await send(url, { method: "POST", path: `/${topic}?auth=${auth}`, headers, body: "Hello" });
  }
}

async function useGotifyApp({ t, client, url }: AppSecretsInput, email: string) {
  const { code } = await client.pairings.create();
  const headers = createBasicHeaders(email, code);
  const body = { name: "Pixel" };
  const added = await requestJson(url, { method: "POST", path: "/client", headers, body });
  assert.equal(added.status, 200);
  const { token } = JSON.parse(added.text);
  await openWebSocket(t, `${url}/stream?token=${token}`, {});
  for (const secret of [token, WRONG_CLIENT_TOKEN, code]) {
    for (const path of [
      "/message",
      "/client",
      "/stream",
      "/application/1/message",
      "/current/user",
    ])
      await send(url, { path: `${path}?token=${secret}`, headers: { "x-gotify-key": secret } });
    await send(url, {
      path: `/message/${secret}?limit=${secret}`,
      headers: createBasicHeaders(email, secret),
    });
  }
  return {
    "the code of an app": code,
    "the client token of an app": token,
    "a wrong client token": WRONG_CLIENT_TOKEN,
  };
}

function createBasicHeaders(name: string, password: string) {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}` };
}
