import type { TestContext } from "node:test";
import { addDevice, signUp, startApp, type TestApp } from "../../server/test/support/app.ts";

/** A server with one account, and the values of the documents' placeholders. */
export interface DocumentFixture {
  readonly url: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Starts the server that the blocks of all documents call; it stops with the test. */
export function startServer(test: TestContext): Promise<TestApp> {
  return startApp(test, { isSingleProcess: true });
}

/** Creates the account of a document, with one browser, a device group and a team. */
export async function createFixture(app: TestApp, name: string): Promise<DocumentFixture> {
  const person = await signUp(app, name);
  const { client, key } = person;
  const { device } = await addDevice(app, person);
  const group = await client.groups.create({ name: "At night", deviceIds: [device.id] });
  const team = await client.teams.create({ name: "Operations" });
  const { userKey } = await client.keys.create({ kind: "account", dialect: "pushover" });
  const { token } = await client.accessTokens.create({ label: "documents" });
  const { notificationId } = await client.notify({ title: "First", body: "of all" });
  return {
    url: app.url,
    values: {
      "<API_KEY>": key,
      "<TEAM_KEY>": team.key,
      "<USER_KEY>": userKey ?? "",
      "<GROUP_ID>": group.id,
      "<ACCESS_TOKEN>": token,
      "<NOTIFICATION_ID>": notificationId ?? "",
      "<registration token or installation id>": "t".repeat(140),
      "<hex>": "ab".repeat(32),
    },
  };
}
