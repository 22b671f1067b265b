import { OPERATOR } from "#audit/event.ts";
import { createAppSignIn } from "#apps/create-sign-in.ts";
import type { AddedApp } from "#apps/sign-in.ts";
import type { TestApp, TestPerson } from "./app.ts";

/** Adds an app of ntfy to the account of a person. */
export async function addNtfyApp(
  { app: { context } }: Pick<TestApp, "app">,
  { accountId }: Pick<TestPerson, "accountId">,
): Promise<AddedApp> {
  const signIn = createAppSignIn({
    context,
    notices: null,
    onDeviceChanged: () => {},
    endStreamsOfSecret: () => {},
  });
  const name = "Pixel";
  return signIn.add({ accountId, client: "ntfy", name, platform: "android", actor: OPERATOR });
}
