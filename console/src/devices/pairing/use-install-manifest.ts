import { useEffect } from "react";
import { client } from "../../client.ts";
import { parsePairingToken } from "./pairing-code.ts";
import { takeInstallToken } from "./install-token.ts";

const MANIFEST_PATH = "/manifest.webmanifest";

/**
 * Signs in an app that is added to the Home Screen while the component is mounted. Safari shares neither cookies nor
 * storage with the app. It reads the app's start URL from the manifest, so the manifest contains a token.
 */
export function useInstallManifest(): void {
  useEffect(() => {
    const manifestLink = document.querySelector('link[rel="manifest"]');
    let isMounted = true;
    const setToken = (token: string) => {
      if (isMounted && token !== "")
        manifestLink?.setAttribute("href", `${MANIFEST_PATH}?pair=${token}`);
    };
    // Ignores a failure: without a token, the app asks for a code.
    void getInstallToken().then(setToken, () => {});
    return () => {
      isMounted = false;
      manifestLink?.setAttribute("href", MANIFEST_PATH);
    };
  }, []);
}

/**
 * Returns the install token in memory. If there is none, because of a reload or another kind of sign-in, creates a
 * pairing.
 */
async function getInstallToken(): Promise<string> {
  return takeInstallToken() ?? parsePairingToken((await client.pairings.create()).url);
}
