import type { TestContext } from "node:test";
import type { CDPSession, Page } from "puppeteer-core";
import { OidcProvider } from "../doubles/oidc.ts";
import { startApp, type TestApp } from "./app.ts";
import { launchChromium } from "./browsers.ts";
import { ConsolePage } from "./console-page.ts";
import { freePort } from "./free-port.ts";
import { realNow } from "./surroundings.ts";

/** A server that its browsers know by a name, since a passkey belongs to one, with an identity provider beside it. */
export interface PasskeyStage extends TestApp {
  readonly provider: OidcProvider;
  /** Lets so much time pass for the server. */
  advance(ms: number): void;
  /** Opens a page of the server in a Chromium of its own, which has an authenticator. */
  open(path: string): Promise<Visit>;
}

/** A page, and what its browser makes passkeys with. */
export interface Visit {
  readonly page: ConsolePage;
  readonly authenticator: VirtualAuthenticator;
}

/** Starts the server; everybody may sign up. `environment` adds `TOCSIN_…` variables. */
export async function startPasskeyStage(
  t: TestContext,
  environment: Readonly<Record<string, string>> = {},
): Promise<PasskeyStage> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const provider = await OidcProvider.start(`${url}/sign-in/oidc`);
  t.after(() => provider.close());
  let passedMs = 0;
  const app = await startApp(t, {
    now: () => realNow() + passedMs,
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
      passedMs += ms;
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

/** Chromium's own authenticator, which agrees to whatever it is asked while somebody is there. */
export class VirtualAuthenticator {
  readonly #tools: CDPSession;
  readonly #id: string;

  /** Must precede the page's first question. */
  static async attach(page: Page): Promise<VirtualAuthenticator> {
    const tools = await page.createCDPSession();
    await tools.send("WebAuthn.enable");
    const { authenticatorId } = await tools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: false,
      },
    });
    return new VirtualAuthenticator(tools, authenticatorId);
  }

  private constructor(tools: CDPSession, id: string) {
    this.#tools = tools;
    this.#id = id;
  }

  /** Lets the person be there, and prove it, while something is done. */
  async attend(act: () => Promise<unknown>): Promise<void> {
    await this.#simulate(true);
    await act();
    await this.#simulate(false);
  }

  /** Whether the person's finger or face is recognized. */
  async recognize(isUserVerified: boolean): Promise<void> {
    await this.#tools.send("WebAuthn.setUserVerified", {
      authenticatorId: this.#id,
      isUserVerified,
    });
  }

  async #simulate(enabled: boolean): Promise<void> {
    await this.#tools.send("WebAuthn.setAutomaticPresenceSimulation", {
      authenticatorId: this.#id,
      enabled,
    });
  }
}
