import { useEffect } from "react";
import { client } from "../../client.ts";
import { parsePairingToken } from "./pairing-code.ts";
import { takeInstallToken } from "./install-token.ts";

const MANIFEST_PATH = "/manifest.webmanifest";

/**
 * While the component is mounted, the page's manifest contains a token that signs in an app added to the Home Screen.
 * Safari shares neither cookies nor storage with the app, but reads the app's start URL from the manifest.
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
 * pairing and returns its token.
 */
async function getInstallToken(): Promise<string> {
  return takeInstallToken() ?? parsePairingToken((await client.pairings.create()).url);
}
