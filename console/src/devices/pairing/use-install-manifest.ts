import { useEffect } from "react";
import { client } from "../../client.ts";
import { parsePairingToken } from "./format-code.ts";
import { takeInstallToken } from "./install-token.ts";

const MANIFEST_PATH = "/manifest.webmanifest";

/**
 * Signs in an app that is added to the Home Screen while this is mounted. Safari shares neither cookies nor storage with
 * the app, and reads its start URL from the manifest. So the manifest contains a token.
 */
export function useInstallManifest(): void {
  useEffect(() => {
    const link = document.querySelector('link[rel="manifest"]');
    let isMounted = true;
    const setToken = (token: string) => {
      if (isMounted && token !== "") link?.setAttribute("href", `${MANIFEST_PATH}?pair=${token}`);
    };
    // A failure is ignored: without a token, the app asks for a code.
    void getInstallToken().then(setToken, () => {});
    return () => {
      isMounted = false;
      link?.setAttribute("href", MANIFEST_PATH);
    };
  }, []);
}

/** Returns the install token in memory. Creates a pairing after a different sign-in or a reload, which leave none. */
async function getInstallToken(): Promise<string> {
  return takeInstallToken() ?? parsePairingToken((await client.pairings.create()).url);
}
