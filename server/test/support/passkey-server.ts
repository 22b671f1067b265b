import type { TestContext } from "node:test";
import type { CDPSession, Page } from "puppeteer-core";
import { OidcProvider } from "../doubles/oidc-provider.ts";
import { startApp, type TestApp } from "./app.ts";
import { launchChromium } from "./browsers.ts";
import { ConsolePage } from "./console-page.ts";
import { freePort } from "./free-port.ts";
import { realNow } from "./surroundings.ts";

/** A server at a host name, because passkeys need one, and an identity provider. */
export interface PasskeyServer extends TestApp {
  readonly provider: OidcProvider;
  /** Advances the server's clock. */
  advance(ms: number): void;
  /** Opens a page of the server in a new Chromium with an authenticator. */
  open(path: string): Promise<PageWithAuthenticator>;
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
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const provider = await OidcProvider.start(`${url}/sign-in/oidc`);
  t.after(() => provider.close());
  let offsetMs = 0;
  const app = await startApp(t, {
    now: () => realNow() + offsetMs,
    environment: {
      TOCSIN_PORT: String(port),
      TOCSIN_HOST: "localhost",
      TOCSIN_BASE_URL: url,
      TOCSIN_OIDC_ISSUER: provider.issuer,
      TOCSIN_OIDC_CLIENT_ID: OidcProvider.clientId,
      TOCSIN_OIDC_CLIENT_SECRET: OidcProvider.clientSecret,
      TOCSIN_OIDC_NAME: "Example ID",
      ...environment,
    },
  });
  return {
    ...app,
    url,
    provider,
    advance: (ms) => {
      offsetMs += ms;
    },
    open: async (path) => {
      const browser = await launchChromium();
      t.after(() => browser.close());
      const page = await ConsolePage.open(browser, `${url}/reset`);
      const authenticator = await VirtualAuthenticator.attach(page.page);
      await page.page.goto(url + path);
      return { page, authenticator };
    },
  };
}

/** Chromium's virtual authenticator, which confirms every request while the user is present. */
export class VirtualAuthenticator {
  readonly #session: CDPSession;
  readonly #id: string;

  /** Must be called before the page's first passkey request. */
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
  async attend(act: () => Promise<unknown>): Promise<void> {
    await this.#simulate(true);
    await act();
    await this.#simulate(false);
  }

  /** Sets whether user verification, such as a fingerprint, succeeds. */
  async recognize(isUserVerified: boolean): Promise<void> {
    await this.#session.send("WebAuthn.setUserVerified", {
      authenticatorId: this.#id,
      isUserVerified,
    });
  }

  async #simulate(enabled: boolean): Promise<void> {
    await this.#session.send("WebAuthn.setAutomaticPresenceSimulation", {
      authenticatorId: this.#id,
      enabled,
    });
  }
}
