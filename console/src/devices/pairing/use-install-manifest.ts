import { useEffect } from "react";
import { client } from "../../client.ts";
import { tokenOf } from "./code.ts";
import { takeInstallToken } from "./install-token.ts";

const MANIFEST = "/manifest.webmanifest";

/**
 * Has the app that is put on the Home Screen meanwhile start signed in: Safari shares neither cookies nor storage with it, and
 * takes its first address from the manifest.
 */
export function useInstallManifest(): void {
  useEffect(() => {
    const link = document.querySelector('link[rel="manifest"]');
    let isShown = true;
    const name = (token: string) => {
      if (isShown && token !== "") link?.setAttribute("href", `${MANIFEST}?pair=${token}`);
    };
    // Without it the app asks for a code.
    void installToken().then(name, () => {});
    return () => {
      isShown = false;
      link?.setAttribute("href", MANIFEST);
    };
  }, []);
}

/** Who signed in otherwise, or loaded the page anew, has none yet. */
async function installToken(): Promise<string> {
  return takeInstallToken() ?? tokenOf((await client.pairings.create()).url);
}
