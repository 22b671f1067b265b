import type { NewPasskey, PasskeyOptions } from "@tocsin/sdk";
import i18next from "i18next";
import { client } from "../../client.ts";

type PasskeyAction = "sign_in" | "create";

/**
 * Signs in with a passkey from the browser's dialog. Throws an error with a translated message if the browser rejects.
 */
export async function signInWithPasskey(): Promise<void> {
  const [optionsJSON, { startAuthentication }] = await Promise.all([
    client.passkeySignInOptions(),
    loadPasskeyLibrary(),
  ]);
  const credential = await startAuthentication({ optionsJSON }).catch(
    createTranslatedRethrow("sign_in"),
  );
  await client.signInWithPasskey({ credential });
}

/**
 * Signs in with a passkey from the suggestions of the email field. Stays pending until the person chooses one. Rejects
 * if the request is cancelled or another passkey request replaces it.
 */
export async function signInWithSuggestedPasskey(): Promise<void> {
  const [optionsJSON, { startAuthentication }] = await Promise.all([
    client.passkeySignInOptions(),
    loadPasskeyLibrary(),
  ]);
  const credential = await startAuthentication({ optionsJSON, useBrowserAutofill: true });
  await client.signInWithPasskey({ credential });
}

/** Cancels the browser's open passkey request, if there is one. */
export async function cancelPasskeyRequest(): Promise<void> {
  (await loadPasskeyLibrary()).WebAuthnAbortService.cancelCeremony();
}

/** Creates a passkey in the browser. Throws an error with a translated message if the browser rejects. */
export async function createPasskey(
  optionsJSON: PasskeyOptions,
): Promise<NewPasskey["credential"]> {
  const { startRegistration } = await loadPasskeyLibrary();
  return startRegistration({ optionsJSON }).catch(createTranslatedRethrow("create"));
}

function loadPasskeyLibrary() {
  return import("@simplewebauthn/browser");
}

/**
 * Returns an error handler that throws an error with a translated message. Browsers report only the name of an error,
 * so that a page learns nothing about the passkeys on a device.
 */
function createTranslatedRethrow(action: PasskeyAction) {
  return (error: unknown): never => {
    const name = error instanceof Error ? error.name : "";
    throw new Error(getPasskeyErrorMessage(action, name), { cause: error });
  };
}

function getPasskeyErrorMessage(action: PasskeyAction, name: string): string {
  if (name === "InvalidStateError") return i18next.t("account.passkeyExists");
  if (name === "SecurityError") return i18next.t("account.passkeyWrongHost");
  return i18next.t(action === "sign_in" ? "account.passkeyNotUsed" : "account.passkeyNotCreated");
}
