import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { TestContext } from "node:test";
import { generateCertificate } from "../doubles/certificate.ts";
import { generateMasterKeyText } from "#secrets/master-key.ts";
import { createDoubleConnector } from "../doubles/double-connector.ts";
import { LOOPBACK, closeHttpServer, listen } from "../doubles/listen.ts";
import { MailServer } from "../doubles/mail-server.ts";
import { PushService } from "../doubles/push-service.ts";
import { startApp, type TestApp } from "./app.ts";

/** A server behind a TLS proxy, with all external services on this machine. */
export interface LocalDeployment {
  readonly app: TestApp;
  readonly mail: MailServer;
  /** `TOCSIN_…` variables for a server that uses these services. */
  readonly environment: Readonly<Record<string, string>>;
  /** Direct the doctor to these services instead of the real ones. */
  readonly networkOverrides: {
    readonly ca: string;
    readonly webPush: { readonly connect: ReturnType<typeof createDoubleConnector> };
  };
}

/** This machine's time, which the doubles use, in milliseconds since the epoch. */
export const realNow: () => number = Date.now;

/** The password of the mail server, for tests that check that it is not exposed. */
export const MAIL_PASSWORD = "never-exposed";

const BROWSER_PUSH_HOSTS = [
  "fcm.googleapis.com",
  "web.push.apple.com",
  "updates.push.services.mozilla.com",
] as const;

/** Starts everything on free ports. Everything stops with the test. */
export async function startLocalDeployment(test: TestContext): Promise<LocalDeployment> {
  const masterKey = { TOCSIN_MASTER_KEY: generateMasterKeyText() };
  const app = await startApp(test, { environment: masterKey });
  const proxy = await startProxy(test, app.url);
  const browserPush = await PushService.start({ names: BROWSER_PUSH_HOSTS });
  test.after(() => browserPush.close());
  const mail = await MailServer.start({ login: { user: "ops", password: MAIL_PASSWORD } });
  test.after(() => mail.close());
  return {
    app,
    mail,
    environment: {
      ...masterKey,
      TOCSIN_DATA_DIR: app.dataDir,
      ...(app.database.kind === "postgres" ? { TOCSIN_DATABASE_URL: app.database.url } : {}),
      TOCSIN_BASE_URL: proxy.url,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
      TOCSIN_SMTP_URL: `smtp://ops:${MAIL_PASSWORD}@${LOOPBACK}:${mail.port}`,
      TOCSIN_MAIL_FROM: "tocsin@example.org",
    },
    networkOverrides: { ca: proxy.ca, webPush: { connect: createDoubleConnector(browserPush) } },
  };
}

async function startProxy(test: TestContext, target: string) {
  const { key, cert } = generateCertificate([LOOPBACK]);
  const server = createServer({ key, cert }, (request, response) => {
    fetch(new URL(request.url ?? "/", target))
      .then(async (forwarded) => response.writeHead(forwarded.status).end(await forwarded.text()))
      .catch(() => response.writeHead(502).end());
  });
  server.on("upgrade", (request, socket) => passUpgrade(request, socket, target));
  const port = await listen(server);
  test.after(() => closeHttpServer(server));
  return { url: `https://${LOOPBACK}:${port}`, ca: cert };
}

/** Passes the request for a WebSocket on to the server, and then all bytes in both directions. */
function passUpgrade({ url, rawHeaders }: IncomingMessage, socket: Duplex, target: string): void {
  const { hostname, port } = new URL(target);
  const upstream = connect(Number(port), hostname);
  const fields = Array.from({ length: rawHeaders.length / 2 }, (_, index) =>
    rawHeaders.slice(2 * index, 2 * index + 2).join(": "),
  );
  upstream.write([`GET ${url} HTTP/1.1`, ...fields, "", ""].join("\r\n"));
  for (const [from, to] of [
    [socket, upstream],
    [upstream, socket],
  ] as const) {
    from.on("error", () => to.destroy());
    from.pipe(to);
  }
}
