import { useEffect } from "react";
import { client } from "../../client.ts";
import { tokenOf } from "./code.ts";
import { takeInstallToken } from "./install-token.ts";

const MANIFEST = "/manifest.webmanifest";

/**
 * Lets an app that is put on the Home Screen meanwhile start signed in: Safari shares neither cookies nor storage with
 * it, and takes its first address from the manifest.
 */
export function useInstallManifest(): void {
  useEffect(() => {
    const link = document.querySelector('link[rel="manifest"]');
    let isShown = true;
    const name = (token: string) => {
      if (isShown && token !== "") link?.setAttribute("href", `${MANIFEST}?pair=${token}`);
    };
    // Without a token the app asks for a code.
    void installToken().then(name, () => {});
    return () => {
      isShown = false;
      link?.setAttribute("href", MANIFEST);
    };
  }, []);
}

/** A person who signed in otherwise, or reloaded the page, has no kept token yet. */
async function installToken(): Promise<string> {
  return takeInstallToken() ?? tokenOf((await client.pairings.create()).url);
}
