import { OPERATOR } from "#audit/event.ts";
import { createAppSignIn } from "#apps/create-sign-in.ts";
import type { AppClient } from "#apps/app.ts";
import type { AddedApp } from "#apps/sign-in.ts";
import type { TestApp, TestPerson } from "./app.ts";

/** Adds an app to the account of a person, by default the ntfy app. */
export async function addNtfyApp(
  { app: { context } }: Pick<TestApp, "app">,
  { accountId }: Pick<TestPerson, "accountId">,
  client: AppClient = "ntfy",
): Promise<AddedApp> {
  const signIn = createAppSignIn({
    context,
    notices: null,
    onDeviceChanged: () => {},
    endStreamsOfSecret: () => {},
  });
  const name = "Pixel";
  return signIn.add({ accountId, client, name, platform: "android", actor: OPERATOR });
}
