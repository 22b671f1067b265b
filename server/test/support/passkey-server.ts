import type { TestContext } from "node:test";
import type { CDPSession, Page } from "puppeteer-core";
import { OidcProvider } from "../doubles/oidc-provider.ts";
import { startApp, type TestApp } from "./app.ts";
import { launchChromium } from "./browsers.ts";
import { ConsolePage } from "./console-page.ts";
import { findFreePort } from "./free-port.ts";
import { realNow } from "./local-deployment.ts";

/** A server at a host name, because passkeys need one, and an identity provider. */
export interface PasskeyServer extends TestApp {
  readonly identityProvider: OidcProvider;
  /** Advances the server's clock. */
  advanceClock(ms: number): void;
  /** Opens a page of the server in a new Chromium with an authenticator. */
  openPage(path: string): Promise<PageWithAuthenticator>;
}

/** A page and the authenticator of its browser. */
export interface PageWithAuthenticator {
  readonly page: ConsolePage;
  readonly authenticator: VirtualAuthenticator;
}

/** Starts the server with open sign-up. `environment` adds `TOCSIN_…` variables. */
export async function startPasskeyServer(
  t: TestContext,
  environment: Readonly<Record<string, string>> = {},
): Promise<PasskeyServer> {
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const identityProvider = await OidcProvider.start(`${url}/sign-in/oidc`);
  t.after(() => identityProvider.close());
  let offsetMs = 0;
  const app = await startApp(t, {
    now: () => realNow() + offsetMs,
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_HOST: "localhost",
      TOCSIN_BASE_URL: url,
      TOCSIN_OIDC_ISSUER: identityProvider.issuer,
      TOCSIN_OIDC_CLIENT_ID: OidcProvider.clientId,
      TOCSIN_OIDC_CLIENT_SECRET: OidcProvider.clientSecret,
      TOCSIN_OIDC_NAME: "Example ID",
      ...environment,
    },
  });
  return {
    ...app,
    url,
    identityProvider,
    advanceClock: (ms) => {
      offsetMs += ms;
    },
    openPage: async (path) => {
      const browser = await launchChromium();
      t.after(() => browser.close());
      const page = await ConsolePage.open(browser, `${url}/reset`);
      const authenticator = await VirtualAuthenticator.attach(page.tab);
      await page.tab.goto(url + path);
      return { page, authenticator };
    },
  };
}

/** Chromium's virtual authenticator, which confirms every request while the user is present. */
export class VirtualAuthenticator {
  readonly #session: CDPSession;
  readonly #id: string;

  /** Adds an authenticator to a page, which must not have made a passkey request yet. */
  static async attach(page: Page): Promise<VirtualAuthenticator> {
    const session = await page.createCDPSession();
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: false,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  private constructor(session: CDPSession, id: string) {
    this.#session = session;
    this.#id = id;
  }

  /** Simulates a present and verified user while `act` runs. */
  async whileUserIsPresent(act: () => Promise<unknown>): Promise<void> {
    await this.#setPresenceSimulation({ enabled: true });
    await act();
    await this.#setPresenceSimulation({ enabled: false });
  }

  /** Sets whether user verification, such as a fingerprint, succeeds. */
  async setUserVerified(isUserVerified: boolean): Promise<void> {
    await this.#session.send("WebAuthn.setUserVerified", {
      authenticatorId: this.#id,
      isUserVerified,
    });
  }

  async #setPresenceSimulation({ enabled }: { readonly enabled: boolean }): Promise<void> {
    await this.#session.send("WebAuthn.setAutomaticPresenceSimulation", {
      authenticatorId: this.#id,
      enabled,
    });
  }
}
