import type { Logger } from "pino";
import { createPersonFinder } from "#accounts/person-finder.ts";
import { createSetUpLink } from "#accounts/set-up.ts";
import { findValidCredentials } from "#accounts/store/valid-credentials.ts";
import type { IdentityProvider } from "#accounts/oidc/identity-provider.ts";
import { currentSettings, type Settings } from "#administration/settings/settings.ts";
import type { Config } from "#config/config.ts";
import type { Context } from "#context.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import {
  createAuthenticate,
  createAuthenticateAdministrator,
  type Authenticate,
} from "#http/authenticate.ts";
import { RateLimit, rateExceeded, type RateLimiter } from "#http/rate-limit.ts";
import { KeyVerifier } from "#keys/verify.ts";
import { createLogMail } from "#mail/log.ts";
import { MailSender } from "#mail/outbox.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { LiveHub } from "#notifications/live/hub.ts";
import { StreamRights } from "#notifications/live/rights.ts";
import { SharedRateLimit } from "#nodes/rates/shared-rate-limit.ts";
import type { Nodes } from "#nodes/nodes.ts";
import type { ProvenTime } from "#nodes/proven-time.ts";
import { createPublisher, type Publisher } from "#notifications/live/publish.ts";
import type { LeftDeviceTeller } from "#notifications/left-devices/teller.ts";
import { Retention } from "#notifications/retention/retention.ts";
import type { ApnsSettings } from "#providers/apns/apns.ts";
import type { FcmSettings } from "#providers/fcm/fcm.ts";
import type { Contact } from "#providers/webpush/vapid-tokens.ts";
import type { WebPushSettings } from "#providers/webpush/webpush.ts";
import { createProviders, warnOfUnreachable } from "./create-providers.ts";
import { PRUNES } from "./prunes.ts";
import { createContact } from "./push-contact.ts";
import type { Secrets } from "#secrets/secrets.ts";
import { createSending } from "./create-sending.ts";
import { createSignIn, type SignIn } from "./create-sign-in.ts";

export interface AppOptions {
  readonly config: Config;
  readonly log: Logger;
  /** This machine's clock, in milliseconds since the epoch. The clock of a shared database takes precedence. */
  readonly now: () => number;
  /** This machine's monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** The clocks of tests. They override the clocks of the machine and the database. */
  readonly time?: Pick<Context, "now" | "elapsed">;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Host names, certificates and limits of substitute push services, for tests and demonstrations. */
  readonly webPush?: Pick<
    WebPushSettings,
    "resolve" | "isDenied" | "ca" | "connect" | "requestTimeoutMs"
  >;
  readonly apns?: Pick<ApnsSettings, "ca" | "requestTimeoutMs">;
  readonly fcm?: Pick<FcmSettings, "ca" | "requestTimeoutMs">;
}

/** Every component of one process, built once. */
export interface Rooms extends SignIn {
  readonly context: Context;
  readonly nodes: Nodes;
  readonly proven: ProvenTime;
  readonly metrics: Metrics;
  readonly delivery: Delivery;
  readonly hub: LiveHub;
  readonly rights: StreamRights;
  readonly publisher: Publisher;
  readonly keys: KeyVerifier;
  readonly rateLimit: RateLimiter & { stop(): Promise<void> };
  readonly mail: MailSender;
  readonly leftDevices: LeftDeviceTeller;
  readonly retention: Retention;
  readonly authenticate: Authenticate;
  readonly authenticateAdministrator: Authenticate;
  /** Resolves with the current settings that administrators may change. */
  readonly settings: () => Promise<Settings>;
  /** Resolves with a one-use link that creates the first account; null if there is one. */
  readonly createSetUpLink: () => Promise<string | null>;
  readonly identityProvider: IdentityProvider | null;
  readonly vapidPublicKey: string;
  /** Resolves with the contact of this server for push services. */
  readonly contact: Contact;
  close(): Promise<void>;
}

/** Largest difference in time between the ids that two nodes assign to the same event. */
const EVENTS_APART_MS = 5_000;

/** The foundations of all rooms. */
export interface Base {
  readonly context: Context;
  readonly nodes: Nodes;
  readonly proven: ProvenTime;
}

/** Builds the rooms with their implementations. Nothing is sent and nothing runs until the app starts. */
export async function createRooms(
  options: AppOptions,
  { context, nodes, proven, secrets }: Base & { readonly secrets: Secrets },
): Promise<Rooms> {
  const { config } = options;
  const { baseUrl } = config;
  const { mail, closeMail } = await createMail(config, context);
  const keys = new KeyVerifier(context, nodes);
  const { vapid } = secrets;
  const signIn = createSignIn(context, { baseUrl, secret: secrets.session });
  const metrics = createMetrics();
  const hub = createHub(config, context);
  const publisher = createPublisher({ context, hub, nodes });
  const { providers, sender } = await createPush(options, { context, vapid });
  const sending = { context, nodes, proven, metrics, publisher, providers };
  const { delivery, leftDevices } = createSending(options, sending);
  const settings = () => currentSettings({ context, config });
  const retentionDays = async () => (await settings()).retentionDays;
  observe(metrics, delivery);
  return {
    context,
    nodes,
    proven,
    metrics,
    delivery,
    hub,
    rights: createRights(context, nodes),
    publisher,
    mail,
    leftDevices,
    ...signIn,
    createSetUpLink: () => createSetUpLink(context, baseUrl),
    identityProvider: await createOidc(options),
    keys,
    rateLimit: createRateLimit(config, { context, nodes }),
    retention: new Retention({ context, proven, retentionDays, prunes: PRUNES }),
    ...createGuards(createPersonFinder({ context, auth: signIn.auth }), baseUrl),
    settings,
    vapidPublicKey: vapid.publicKey,
    contact: sender.contact,
    async close() {
      await Promise.all(providers.map((provider) => provider.close()));
      closeMail();
    },
  };
}

async function createPush(
  options: AppOptions,
  { context, vapid }: Pick<Base, "context"> & Pick<Secrets, "vapid">,
) {
  const sender = { vapid, contact: createContact(options.config, context) };
  await warnOfUnreachable(options, sender.contact);
  return { sender, providers: createProviders(options, sender) };
}

function observe(metrics: Metrics, { stats, heldServices }: Delivery): void {
  metrics.observeQueue(stats);
  metrics.observeServices(heldServices);
}

function createHub({ database }: Config, { now, elapsed }: Context): LiveHub {
  return new LiveHub({ now, elapsed, marginMs: database.kind === "sqlite" ? 0 : EVENTS_APART_MS });
}

function createRights(context: Context, nodes: Nodes): StreamRights {
  const { now, log } = context;
  const find = (credentialIds: readonly string[]) => findValidCredentials(context, credentialIds);
  return new StreamRights({ now, log, find, isHearing: () => nodes.isListening });
}

function createRateLimit(
  { database, rateLimit }: Config,
  { context, nodes }: Pick<Base, "context" | "nodes">,
) {
  if (database.kind === "postgres") {
    return new SharedRateLimit({ context, nodes, rateExceeded, ...rateLimit });
  }
  const limit = new RateLimit({ ...rateLimit, elapsed: context.elapsed });
  return { take: limit.take.bind(limit), async stop() {} };
}

function createGuards(...[find, baseUrl]: Parameters<typeof createAuthenticate>) {
  const authenticate = createAuthenticate(find, baseUrl);
  const authenticateAdministrator = createAuthenticateAdministrator(authenticate);
  return { authenticate, authenticateAdministrator };
}

/** The clients of a mail server and of an identity provider are loaded only if one is configured. */
async function createMail(config: Config, context: Context) {
  const smtp =
    config.mail === null ? null : (await import("#mail/smtp.ts")).createSmtp(config.mail);
  const mail = new MailSender(context, smtp?.send ?? createLogMail(context.log));
  return { mail, closeMail: () => smtp?.close() };
}

async function createOidc({ config, elapsed }: AppOptions): Promise<IdentityProvider | null> {
  if (config.oidc === null) return null;
  const { createIdentityProvider } = await import("#accounts/oidc/identity-provider.ts");
  return createIdentityProvider(config.oidc, {
    redirectUri: `${config.baseUrl}/sign-in/oidc`,
    elapsed,
  });
}
