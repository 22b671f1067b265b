import type { NewPasskey, PasskeyOptions } from "@tocsin/sdk";
import i18next from "i18next";
import { client } from "../../client.ts";

type PasskeyAction = "sign_in" | "create";

/** Signs in with a passkey from the browser's dialog. */
export async function signInWithPasskey(): Promise<void> {
  const [optionsJSON, { startAuthentication }] = await Promise.all([
    client.passkeySignInOptions(),
    loadPasskeys(),
  ]);
  const credential = await startAuthentication({ optionsJSON }).catch(rethrowTranslated("sign_in"));
  await client.signInWithPasskey({ credential });
}

/**
 * Signs in with a passkey from the suggestions of the e-mail field. Stays pending until the person chooses one. Rejects
 * if it is cancelled or another passkey request replaces it.
 */
export async function signInWithSuggestedPasskey(): Promise<void> {
  const [optionsJSON, { startAuthentication }] = await Promise.all([
    client.passkeySignInOptions(),
    loadPasskeys(),
  ]);
  const credential = await startAuthentication({ optionsJSON, useBrowserAutofill: true });
  await client.signInWithPasskey({ credential });
}

/** Cancels the browser's open passkey request, if there is one. */
export async function cancelPasskeys(): Promise<void> {
  (await loadPasskeys()).WebAuthnAbortService.cancelCeremony();
}

/** Creates a passkey in the browser. Throws an error with a translated message. */
export async function createPasskey(
  optionsJSON: PasskeyOptions,
): Promise<NewPasskey["credential"]> {
  const { startRegistration } = await loadPasskeys();
  return startRegistration({ optionsJSON }).catch(rethrowTranslated("create"));
}

function loadPasskeys() {
  return import("@simplewebauthn/browser");
}

/** Browsers report only the name of an error, so that a page learns nothing about the passkeys on a device. */
function rethrowTranslated(action: PasskeyAction) {
  return (error: unknown): never => {
    const name = error instanceof Error ? error.name : "";
    throw new Error(messageOf(action, name), { cause: error });
  };
}

function messageOf(action: PasskeyAction, name: string): string {
  if (name === "InvalidStateError") return i18next.t("account.passkeyKnown");
  if (name === "SecurityError") return i18next.t("account.passkeyElsewhere");
  return i18next.t(action === "sign_in" ? "account.passkeyNone" : "account.passkeyNotMade");
}
