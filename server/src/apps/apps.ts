import type { Context } from "#context.ts";
import { clearRead } from "./clear-read.ts";
import { createAppStreams } from "./create-streams.ts";
import type { AppStreams } from "./app-streams.ts";
import type { Proof } from "./app.ts";
import { ProofSignals } from "./proof-signals.ts";
import { AppHub } from "./hub.ts";
import { Mailbox } from "./mailbox.ts";
import { MessageLoader } from "./message-loader.ts";
import { createNodeMessages, type AppNodes } from "./node-messages.ts";
import { createStreamProvider } from "./provider.ts";
import type { Schedule } from "./schedule.ts";
import type { Waker } from "./waker.ts";
import { StreamChecks } from "./stream-checks.ts";
import {
  endWaitsOfFetched,
  makeJobsOfActedIncidentsDue,
  makeJobsOfIncidentDue,
} from "./store/end-waits.ts";
import { forgetNodes } from "./store/presence.ts";
import { deleteAppsOfRemovedDevices } from "./store/removal.ts";
import type { OwnedDevice } from "#devices/store/devices.ts";
import type { Provider } from "#providers/provider.ts";

/** The dependencies of the room of connected apps. */
export interface AppsDeps {
  readonly context: Context;
  readonly nodes: AppNodes;
  readonly schedule: Schedule;
  /** Null if no service is asked to wake apps for iPhones. */
  readonly wake: Waker | null;
  /** Called after an app removed messages from its list; must not throw. */
  readonly onRemovedFromList: (accountId: string, notificationIds: readonly string[]) => void;
  /** Called after an app connected, disconnected or fetched; must not throw. */
  readonly onPresenceChanged: (device: OwnedDevice) => void;
  /** Called with the number of messages for which a proof was recorded, by its kind; must not throw. */
  readonly onProven: (how: Proof, count: number) => void;
}

/** The connected apps of this process. */
export interface Apps {
  readonly provider: Provider;
  readonly streams: AppStreams;
  readonly hub: AppHub;
  readonly checks: StreamChecks;
  /** The listeners that are called after proofs made jobs due. */
  readonly jobsDue: Mailbox["jobsDue"];
  /** Destroys the streams of a secret on every node. */
  endStreamsOfSecret(credentialId: string): void;
  /**
   * Reviews the streams of an app here, and deletes the app if its device was removed, which ends the waits of its
   * jobs.
   */
  reviewDevice(deviceId: string): void;
  /**
   * Begins the jobs that wait for apps with a message of an incident or a prompt, after an act: they withdraw the message
   * if the act makes it unnecessary. Never throws.
   */
  reviewIncident(incidentId: string): void;
  /** Tells the open streams of an account here that it has read notifications elsewhere. Never throws. */
  clearRead(accountId: string, notificationIds: readonly string[]): void;
  /** Takes over from dead nodes, or at the start of the only node from an earlier process, if `nodeIds` is null. */
  takeOver(nodeIds: readonly string[] | null): Promise<void>;
  /** Looks for messages whose hints were lost. */
  checkMailboxes(): Promise<void>;
  /** Begins to send pings. */
  start(): void;
  /** Destroys all streams. No stream can be opened afterwards. */
  stop(): Promise<void>;
}

/** Returns the room of connected apps. */
export function createApps(deps: AppsDeps): Apps {
  const { context, nodes, schedule } = deps;
  const mailbox = new Mailbox(context);
  const hub = new AppHub();
  const signals = new ProofSignals();
  const loader = new MessageLoader(context);
  const messages = createNodeMessages({ nodes, hub, signals });
  const checks = new StreamChecks({ context, hub, schedule });
  mailbox.proven.add((provenMessages) => {
    for (const { deviceId, notificationId, how } of provenMessages) {
      signals.signal(deviceId, notificationId, how);
      messages.publishProof(deviceId, notificationId, how);
    }
    for (const [how, group] of Map.groupBy(provenMessages, (message) => message.how))
      deps.onProven(how, group.length);
  });
  const provider = createStreamProvider({
    context,
    nodeId: nodes.id,
    mailbox,
    signals,
    schedule,
    isHeldHere: (deviceId) => hub.has(deviceId),
    hint: (deviceId, nodeId) => messages.hint(deviceId, nodeId),
    wake: deps.wake,
  });
  const streams = createAppStreams({ ...deps, nodeId: nodes.id, mailbox, hub, loader });
  return {
    provider,
    streams,
    hub,
    checks,
    jobsDue: mailbox.jobsDue,
    ...createEndings(context, { hub, checks, messages, jobsDue: mailbox.jobsDue }),
    async takeOver(nodeIds) {
      await forgetNodes(context, nodeIds);
      const hasFetched = await endWaitsOfFetched(context);
      const hasActed = await makeJobsOfActedIncidentsDue(context);
      if (hasFetched || hasActed) mailbox.jobsDue.call();
    },
    checkMailboxes: () => checks.checkMailboxes(),
    start: () => checks.start(),
    stop: () => stop(deps, { hub, checks }),
  };
}

interface EndingDeps {
  readonly hub: AppHub;
  readonly checks: StreamChecks;
  readonly messages: ReturnType<typeof createNodeMessages>;
  readonly jobsDue: Mailbox["jobsDue"];
}

/** Returns the functions that end streams or waits, or tell streams what was read elsewhere. */
function createEndings(
  context: Context,
  { hub, checks, messages, jobsDue }: EndingDeps,
): Pick<Apps, "endStreamsOfSecret" | "reviewDevice" | "reviewIncident" | "clearRead"> {
  return {
    endStreamsOfSecret(credentialId) {
      hub.destroyWhere(({ app }) => app.credentialId === credentialId);
      messages.publishEndedSecret(credentialId);
    },
    reviewDevice(deviceId) {
      checks.reviewDevice(deviceId);
      void endIfRemoved(context, { deviceId, jobsDue });
    },
    reviewIncident: (incidentId) => void beginJobsOfIncident(context, { incidentId, jobsDue }),
    clearRead(accountId, notificationIds) {
      clearRead(context, { hub, accountId, notificationIds }).catch((error: unknown) => {
        context.log.warn({ err: error }, "apps could not be told what was read elsewhere");
      });
    },
  };
}

/** Never rejects: the regular deletions repeat a deletion that failed. */
async function endIfRemoved(
  context: Context,
  { deviceId, jobsDue }: Pick<EndingDeps, "jobsDue"> & { readonly deviceId: string },
): Promise<void> {
  try {
    if (await deleteAppsOfRemovedDevices(context, [deviceId])) jobsDue.call();
  } catch (error) {
    context.log.warn({ err: error }, "the app of a removed device is deleted later");
  }
}

/** Never rejects: a start of the server repeats a review that failed. */
async function beginJobsOfIncident(
  context: Context,
  { incidentId, jobsDue }: Pick<EndingDeps, "jobsDue"> & { readonly incidentId: string },
): Promise<void> {
  try {
    if (await makeJobsOfIncidentDue(context, incidentId)) jobsDue.call();
  } catch (error) {
    context.log.warn({ err: error }, "the messages of an incident are withdrawn from apps later");
  }
}

async function stop(
  { context, nodes }: AppsDeps,
  { hub, checks }: Pick<EndingDeps, "hub" | "checks">,
): Promise<void> {
  checks.stop();
  hub.close();
  try {
    await forgetNodes(context, [nodes.id]);
  } catch (error) {
    context.log.warn({ err: error }, "the end of the apps' streams is recorded later");
  }
}
