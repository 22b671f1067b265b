import type { Logger } from "pino";
import type { Apps } from "#apps/apps.ts";
import type { AppSignIn } from "#apps/sign-in.ts";
import { createPersonFinder } from "#accounts/person-finder.ts";
import { createSetUpLink } from "#accounts/set-up.ts";
import { findValidCredentials } from "#accounts/store/valid-credentials.ts";
import type { IdentityProvider } from "#accounts/oidc/identity-provider.ts";
import { readCurrentSettings, type Settings } from "#administration/settings/settings.ts";
import type { Config } from "#config/config.ts";
import type { Context } from "#context.ts";
import type { Delivery } from "#delivery/create-delivery.ts";
import { findDeviceByActionKey } from "#devices/action-keys/find-device.ts";
import {
  createAuthenticate,
  createAuthenticateAdministrator,
  type Authenticate,
} from "#http/authenticate.ts";
import { createAuthenticateDevice, type AuthenticateDevice } from "#http/authenticate-device.ts";
import { LocalRateLimiter, createRateLimitError, type RateLimiter } from "#http/rate-limit.ts";
import { KeyVerifier } from "#keys/verify.ts";
import { createLoggingSender } from "#mail/logging-sender.ts";
import { MailSender } from "#mail/mail-sender.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { LiveHub } from "#notifications/live/hub.ts";
import { StreamCredentialChecks } from "#notifications/live/credential-checks.ts";
import { SharedRateLimit } from "#nodes/rates/shared-rate-limit.ts";
import type { Nodes } from "#nodes/nodes.ts";
import type { ProvenTime } from "#nodes/proven-time.ts";
import { createPublisher, type Publisher } from "#notifications/live/publish.ts";
import type { LeftDeviceNotifier } from "#notifications/left-devices/notifier.ts";
import { Retention } from "#notifications/retention/retention.ts";
import type { ApnsDeps } from "#providers/apns/apns.ts";
import type { FcmDeps } from "#providers/fcm/fcm.ts";
import type { FindContact } from "#providers/webpush/vapid-tokens.ts";
import type { WebPushDeps } from "#providers/webpush/webpush.ts";
import type { CallbackConnectionDeps } from "#callbacks/connections.ts";
import type { CallbackSender } from "#callbacks/callback-sender.ts";
import { createAppRoom } from "./create-apps.ts";
import { createCallbacks } from "./create-callbacks.ts";
import { createProviders, warnOfUnreachableDevices } from "./create-providers.ts";
import { createPrunes } from "./prunes.ts";
import { createContactReader } from "./push-contact.ts";
import type { Secrets } from "#secrets/secrets.ts";
import type { Incidents } from "#incidents/incidents.ts";
import type { Prompts } from "#prompts/prompts.ts";
import type { TimerWorker } from "#timers/worker.ts";
import { createSending } from "./create-sending.ts";
import { createSignIn, type SignIn } from "./create-sign-in.ts";
import { createIncidentRoom } from "./create-incident-room.ts";
import { createPromptRoom } from "./create-prompt-room.ts";
import { createTimerWorker } from "./create-timer-worker.ts";

/** The options of a server: its configuration and log, its clocks, and substitutes for external services. */
export interface AppOptions {
  readonly config: Config;
  readonly log: Logger;
  /** This machine's clock, in milliseconds since the epoch. The clock of a shared database takes precedence. */
  readonly now: () => number;
  /** This machine's monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** The clocks of tests. They override the clocks of the machine and the database. */
  readonly time?: Pick<Context, "now" | "elapsed">;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Host names, certificates and limits of substitute push services, for tests and demonstrations. */
  readonly webPush?: Pick<
    WebPushDeps,
    "resolve" | "isDenied" | "ca" | "connect" | "requestTimeoutMs"
  >;
  readonly apns?: Pick<ApnsDeps, "ca" | "requestTimeoutMs">;
  readonly fcm?: Pick<FcmDeps, "ca" | "requestTimeoutMs">;
  readonly callbacks?: Omit<CallbackConnectionDeps, "allowOrigins">;
}

/** Every component of one process, built once. */
export interface Rooms extends SignIn {
  readonly context: Context;
  readonly nodes: Nodes;
  readonly provenTime: ProvenTime;
  readonly metrics: Metrics;
  readonly timers: TimerWorker;
  readonly incidents: Incidents;
  readonly prompts: Prompts;
  readonly delivery: Delivery;
  readonly apps: Apps;
  readonly appSignIn: AppSignIn;
  readonly hub: LiveHub;
  readonly credentialChecks: StreamCredentialChecks;
  readonly publisher: Publisher;
  readonly keys: KeyVerifier;
  readonly rateLimit: RateLimiter & { stop(): Promise<void> };
  readonly mail: MailSender;
  readonly callbacks: CallbackSender;
  readonly leftDeviceNotifier: LeftDeviceNotifier;
  readonly retention: Retention;
  readonly authenticate: Authenticate;
  readonly authenticateAdministrator: Authenticate;
  readonly authenticateDevice: AuthenticateDevice;
  /** Resolves with the current settings that administrators may change. */
  readonly getSettings: () => Promise<Settings>;
  /** Resolves with a single-use link that creates the first administrator; null if there is one already. */
  readonly createSetUpLink: () => Promise<string | null>;
  readonly identityProvider: IdentityProvider | null;
  readonly vapidPublicKey: string;
  /** Resolves with the contact of this server for push services. */
  readonly getContact: FindContact;
  /** Closes the connections to push services, to the mail server and to the receivers of callbacks. */
  close(): Promise<void>;
}

/** Largest difference in time between the ids that two nodes assign to the same event. */
const EVENT_SKEW_MAX_MS = 5_000;

/** The dependencies that all rooms share. */
export interface BaseDeps {
  readonly context: Context;
  readonly nodes: Nodes;
  readonly provenTime: ProvenTime;
}

/** Creates all rooms of a server. They send nothing and run nothing until the app starts. */
export async function createRooms(
  options: AppOptions,
  { context, nodes, provenTime, secrets }: BaseDeps & { readonly secrets: Secrets },
): Promise<Rooms> {
  const { config } = options;
  const { baseUrl } = config;
  const { mail, closeMail } = await createMail(config, context);
  const keys = new KeyVerifier(context, nodes);
  const { vapid, session: secret } = secrets;
  const signIn = createSignIn(context, { baseUrl, secret });
  const metrics = createMetrics();
  const timers = createTimerWorker(options, { context, nodes, metrics });
  const { callbacks, closeCallbacks } = createCallbacks(options, { context, nodes, metrics });
  const hub = createHub(config, context);
  const appDeps = { context, nodes, metrics, mail };
  const room = createAppRoom(config, {
    ...appDeps,
    basePublisher: createPublisher({ ...appDeps, hub }),
  });
  const { apps, publisher } = room;
  const { identity, ...push } = await createPushProviders(options, { context, vapid });
  const providers = [...push.providers, apps.provider];
  const sendingDeps = { context, nodes, provenTime, metrics, publisher, providers };
  const { delivery, leftDeviceNotifier, reports } = createSending(options, sendingDeps);
  apps.jobsDue.add(delivery.announceDueJobs);
  const incidentDeps = { apps, callbacks, mail, baseUrl, timers, ...signIn };
  const incidents = createIncidentRoom({ ...sendingDeps, ...incidentDeps, delivery, reports });
  const getSettings = () => readCurrentSettings({ context, config });
  observeDelivery(metrics, delivery);
  return {
    context,
    nodes,
    provenTime,
    metrics,
    timers,
    delivery,
    incidents,
    prompts: createPromptRoom({ context, incidents, timers, metrics }),
    ...room,
    hub,
    credentialChecks: createCredentialChecks(context, nodes),
    mail,
    callbacks,
    leftDeviceNotifier,
    ...signIn,
    createSetUpLink: () => createSetUpLink(context, baseUrl),
    identityProvider: await createOidcProvider(options),
    keys,
    rateLimit: createRateLimit(config, { context, nodes }),
    retention: createRetention({ context, provenTime }, getSettings),
    ...createAuthenticators(context, signIn, baseUrl),
    getSettings,
    vapidPublicKey: vapid.publicKey,
    getContact: identity.getContact,
    async close() {
      await Promise.all([...providers.map((provider) => provider.close()), closeCallbacks()]);
      closeMail();
    },
  };
}

function createRetention(
  deps: Pick<BaseDeps, "context" | "provenTime">,
  getSettings: () => Promise<Settings>,
): Retention {
  const getRetentionDays = async () => (await getSettings()).retentionDays;
  return new Retention({ ...deps, getRetentionDays, prunes: createPrunes(getRetentionDays) });
}

async function createPushProviders(
  options: AppOptions,
  { context, vapid }: Pick<BaseDeps, "context"> & Pick<Secrets, "vapid">,
) {
  const identity = { vapid, getContact: createContactReader(options.config, context) };
  await warnOfUnreachableDevices(options, identity.getContact);
  return { identity, providers: createProviders(options, identity) };
}

function observeDelivery(metrics: Metrics, delivery: Delivery): void {
  metrics.observeQueue(delivery.getQueueStats);
  metrics.observeHeldServices(delivery.listHeldServices);
  metrics.observeSuspectedServices(delivery.listSuspectedServices);
}

function createHub({ database }: Config, { now, elapsed }: Context): LiveHub {
  return new LiveHub({
    now,
    elapsed,
    replayMarginMs: database.kind === "sqlite" ? 0 : EVENT_SKEW_MAX_MS,
  });
}

function createCredentialChecks(context: Context, nodes: Nodes): StreamCredentialChecks {
  const { now, log } = context;
  return new StreamCredentialChecks({
    now,
    log,
    findValidCredentials: (credentialIds) => findValidCredentials(context, credentialIds),
    isListening: () => nodes.isListening,
  });
}

function createRateLimit(
  { database, rateLimit }: Config,
  { context, nodes }: Pick<BaseDeps, "context" | "nodes">,
) {
  if (database.kind === "postgres") {
    return new SharedRateLimit({
      context,
      nodes,
      createRateLimitError,
      ...rateLimit,
    });
  }
  const limit = new LocalRateLimiter({ ...rateLimit, elapsed: context.elapsed });
  return {
    take: limit.take.bind(limit),
    describe: limit.describe.bind(limit),
    async stop() {},
  };
}

function createAuthenticators(context: Context, { auth }: SignIn, baseUrl: string) {
  const authenticate = createAuthenticate(createPersonFinder({ context, auth }), baseUrl);
  return {
    authenticate,
    authenticateAdministrator: createAuthenticateAdministrator(authenticate),
    authenticateDevice: createAuthenticateDevice((credential) =>
      findDeviceByActionKey(context, credential),
    ),
  };
}

/** Loads the client of the mail server only if one is configured. */
async function createMail(config: Config, context: Context) {
  const smtp =
    config.mail === null ? null : (await import("#mail/smtp.ts")).createSmtpPool(config.mail);
  const mail = new MailSender(context, smtp?.send ?? createLoggingSender(context.log));
  return { mail, closeMail: () => smtp?.close() };
}

async function createOidcProvider({
  config,
  elapsed,
}: AppOptions): Promise<IdentityProvider | null> {
  if (config.oidc === null) return null;
  const { createIdentityProvider } = await import("#accounts/oidc/identity-provider.ts");
  return createIdentityProvider(config.oidc, {
    redirectUri: `${config.baseUrl}/sign-in/oidc`,
    elapsed,
  });
}
