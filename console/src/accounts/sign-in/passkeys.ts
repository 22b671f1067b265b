import type { NewPasskey, PasskeyOptions } from "@tocsin/sdk";
import i18next from "i18next";
import { client } from "../../client.ts";

/** Opens a session by a passkey that the browser's own dialog asks for. */
export async function signInWithPasskey(): Promise<void> {
  const [optionsJSON, { startAuthentication }] = await Promise.all([
    client.passkeySignInOptions(),
    loadPasskeys(),
  ]);
  const credential = await startAuthentication({ optionsJSON }).catch(explain("asked"));
  await client.signInWithPasskey({ credential });
}

/**
 * Opens a session by the passkey that a person chooses among the suggestions for the address field; pending until then,
 * and rejects when it is cancelled or another question to passkeys takes its place.
 */
export async function signInWithSuggestedPasskey(): Promise<void> {
  const [optionsJSON, { startAuthentication }] = await Promise.all([
    client.passkeySignInOptions(),
    loadPasskeys(),
  ]);
  const credential = await startAuthentication({ optionsJSON, useBrowserAutofill: true });
  await client.signInWithPasskey({ credential });
}

/** Ends the question that is open to the browser, if any. */
export async function cancelPasskeys(): Promise<void> {
  (await loadPasskeys()).WebAuthnAbortService.cancelCeremony();
}

/** Has the browser make a passkey; throws what to tell the person. */
export async function makePasskey(optionsJSON: PasskeyOptions): Promise<NewPasskey["credential"]> {
  const { startRegistration } = await loadPasskeys();
  return startRegistration({ optionsJSON }).catch(explain("made"));
}

function loadPasskeys() {
  return import("@simplewebauthn/browser");
}

/** Browsers say no more than that, so that a page learns nothing of passkeys that it was not given. */
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
