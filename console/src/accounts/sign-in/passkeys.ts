import type { NewPasskey, PasskeyOptions } from "@tocsin/sdk";
import i18next from "i18next";
import { client } from "../../client.ts";

/** Opens a session with a passkey from the browser's own dialog. */
export async function signInWithPasskey(): Promise<void> {
  const [optionsJSON, { startAuthentication }] = await Promise.all([
    client.passkeySignInOptions(),
    loadPasskeys(),
  ]);
  const credential = await startAuthentication({ optionsJSON }).catch(explain("asked"));
  await client.signInWithPasskey({ credential });
}

/**
 * Opens a session with the passkey that the person chooses from the suggestions of the address field. Stays pending
 * until then; rejects when it is cancelled or another passkey request takes its place.
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

/** Makes a passkey in the browser; throws an error with a message for the person. */
export async function makePasskey(optionsJSON: PasskeyOptions): Promise<NewPasskey["credential"]> {
  const { startRegistration } = await loadPasskeys();
  return startRegistration({ optionsJSON }).catch(explain("made"));
}

function loadPasskeys() {
  return import("@simplewebauthn/browser");
}

/** Browsers give only the name of an error, so that a page learns nothing about passkeys that it was not given. */
function explain(what: "asked" | "made") {
  return (error: unknown): never => {
    const name = error instanceof Error ? error.name : "";
    throw new Error(messageOf(what, name), { cause: error });
  };
}

function messageOf(what: "asked" | "made", name: string): string {
  if (name === "InvalidStateError") return i18next.t("account.passkeyKnown");
  if (name === "SecurityError") return i18next.t("account.passkeyElsewhere");
  return i18next.t(what === "asked" ? "account.passkeyNone" : "account.passkeyNotMade");
}
