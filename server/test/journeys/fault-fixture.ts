import { join } from "node:path";
import { OPERATOR } from "#audit/event.ts";
import type { TestContext } from "node:test";
import { EMPTY_CONTENT } from "@tocsin/sdk";
import { pino } from "pino";
import { readConfig } from "#config/config.ts";
import type { Context } from "#context.ts";
import { openSqlite } from "#database/database.ts";
import { migrate } from "#database/migration.ts";
import type { PendingDevice } from "#delivery/delivery.ts";
import type { PushInput } from "#devices/address.ts";
import { registerDevice } from "#devices/register.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { findDevice, updateDevice, type OwnedDevice } from "#devices/store/devices.ts";
import { createIds } from "#ids.ts";
import { findRecordedDeliveries, findResults } from "#notifications/log/store.ts";
import { ReadDeadline } from "#notifications/read-deadline.ts";
import { send } from "#notifications/send.ts";
import { NO_SEAL } from "#secrets/row-seal.ts";
import { loadSecrets } from "../../src/secrets/secrets.ts";
import { createProvenTime } from "../../src/composition/create-nodes.ts";
import { createRooms, type Rooms } from "../../src/composition/rooms.ts";
import { createSingleNode } from "../../src/nodes/nodes.ts";
import { PushService } from "../doubles/push-service.ts";
import { insertAccount } from "../support/context.ts";
import { TestClock } from "../support/test-clock.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startNativeServices, type NativeServices } from "../support/native-app.ts";

/** All simulated push services, on one clock that the test controls. */
export interface FaultServices extends NativeServices {
  readonly push: PushService;
  /** A second Web Push service, for faults that must not affect the first. */
  readonly otherPush: PushService;
  readonly clock: TestClock;
}

/** A message whose texts must not appear anywhere but on the device. */
export const DRAFT = {
  ...EMPTY_CONTENT,
  title: "Canary-title of the matrix",
  body: "Canary-body of the matrix",
  link: "https://example.org/canary-link",
};

/** Request timeout of the providers, in real time. */
const REQUEST_TIMEOUT_MS = 2_000;

/** The server without its HTTP layer, on a real database, with push services that a test scripts. */
export class FaultFixture {
  readonly services: FaultServices;
  /** All log lines, as JSON. */
  readonly logLines: string[];
  readonly #rooms: Rooms;

  private constructor(services: FaultServices, rooms: Rooms, logLines: string[]) {
    this.services = services;
    this.#rooms = rooms;
    this.logLines = logLines;
  }

  /** Starts the services and the server; they stop with the test. */
  static async start(test: TestContext): Promise<FaultFixture> {
    const clock = new TestClock();
    const nativeServices = await startNativeServices(test, clock);
    const [push, otherPush] = await Promise.all([
      startPushService(test, clock),
      startPushService(test, clock),
    ]);
    const services: FaultServices = { ...nativeServices, push, otherPush, clock };
    const logLines: string[] = [];
    const log = pino({ level: "trace" }, { write: (line: string) => void logLines.push(line) });
    const rooms = await startRooms(test, { services, log });
    return new FaultFixture(services, rooms, logLines);
  }

  /** The VAPID public key that browsers subscribe with. */
  get applicationServerKey(): string {
    return this.#rooms.vapidPublicKey;
  }

  /** Registers a device with a new account. */
  async addDevice(platform: "ios" | "android" | "web", push: PushInput): Promise<OwnedDevice> {
    const { context } = this.#rooms;
    const accountId = await insertAccount(context, { email: `${context.newId()}@example.org` });
    return this.register({ accountId, platform, push });
  }

  /** Registers a device, for the first time or again. */
  async register(input: {
    readonly accountId: string;
    readonly platform: "ios" | "android" | "web";
    readonly push: PushInput;
  }): Promise<OwnedDevice> {
    const deps = {
      context: this.#rooms.context,
      checkWebPushAddress: () => ({ ok: true }) as const,
      notices: null,
    };
    const { device } = await registerDevice(deps, { actor: OPERATOR, ...input, name: "Device" });
    return { accountId: input.accountId, deviceId: device.id };
  }

  /** Pauses a device, as its owner would. */
  async pause(device: OwnedDevice): Promise<void> {
    await updateDevice(this.#rooms.context, { ...device, name: null, isPaused: true });
  }

  /** Removes a device, as its owner would. */
  async remove(device: OwnedDevice): Promise<void> {
    await removeDevice(this.#rooms.context, { ...device, actor: OPERATOR });
  }

  /** Returns whether the account still has the device. */
  async isRegistered(device: OwnedDevice): Promise<boolean> {
    return (await findDevice(this.#rooms.context, device)) !== null;
  }

  /** Sends a notification to one device, waits for the first attempt, and returns its id. */
  async send({ accountId, deviceId }: OwnedDevice, ttlSeconds = 86_400): Promise<string> {
    const { context, delivery } = this.#rooms;
    const sendResult = await send(
      { context, delivery },
      {
        keyId: null,
        senderId: accountId,
        audience: { kind: "device", accountId, deviceId },
        draft: DRAFT,
        ttlSeconds,
        idempotencyKey: null,
        isAwaited: true,
        readDeadline: new ReadDeadline(0),
        charge: () => {},
      },
    );
    await delivery.worker.waitUntilIdle();
    return sendResult.notificationId;
  }

  /** Advances the clock to a timestamp and runs the jobs that are due then. */
  async runJobsAt(timestamp: number): Promise<void> {
    const { clock } = this.services;
    const { worker } = this.#rooms.delivery;
    clock.advance(Math.max(0, timestamp - clock.now()));
    await worker.claimDue();
    await worker.waitUntilIdle();
  }

  /** Returns the pending devices of a notification. */
  async listPending(notificationId: string): Promise<readonly PendingDevice[]> {
    const { pending } = await findRecordedDeliveries(this.#rooms.context, [notificationId]);
    return pending.get(notificationId) ?? [];
  }

  /** Returns the results of a notification. */
  async listResults(notificationId: string) {
    return findResults(this.#rooms.context, { notificationId, limit: 100 });
  }

  /** Returns the number of stored jobs, all of them unfinished. */
  async countJobs(): Promise<number> {
    return (await this.#rooms.delivery.getQueueStats()).jobs;
  }

  /** The names of the services that are held or suspected now. */
  get troubledServices(): readonly string[] {
    const { delivery } = this.#rooms;
    const heldServices = delivery.listHeldServices().map(({ service }) => service);
    return [...heldServices, ...delivery.listSuspectedServices()];
  }
}

async function startPushService(test: TestContext, clock: TestClock): Promise<PushService> {
  const push = await PushService.start(clock);
  test.after(() => push.close());
  return push;
}

async function startRooms(
  test: TestContext,
  { services, log }: { readonly services: FaultServices; readonly log: Context["log"] },
): Promise<Rooms> {
  const { clock, environment, certificateOptions } = services;
  const config = readConfig({
    ...environment,
    TOCSIN_DATA_DIR: await createTemporaryFolder(test),
    TOCSIN_WEBPUSH_ALLOW_ORIGINS: [services.push, services.otherPush].map(getOrigin).join(","),
    TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
  });
  const database = openSqlite(join(config.dataDir, "tocsin.db"));
  await migrate(database);
  const { now, elapsed } = clock;
  const context = { database, now, elapsed, newId: createIds(now), log, seal: NO_SEAL };
  const limits = { requestTimeoutMs: REQUEST_TIMEOUT_MS };
  const options = {
    config,
    log,
    now,
    elapsed,
    random: () => 0.5,
    webPush: limits,
    apns: { ...certificateOptions.apns, ...limits },
    fcm: { ...certificateOptions.fcm, ...limits },
  };
  const rooms = await createRooms(options, {
    context,
    nodes: createSingleNode("fault-fixture"),
    provenTime: await createProvenTime(context),
    secrets: await loadSecrets(config, database),
  });
  test.after(async () => {
    await rooms.delivery.worker.stop(0);
    await rooms.keys.stop();
    await rooms.close();
    await database.close();
  });
  return rooms;
}

function getOrigin(push: PushService): string {
  return `http://127.0.0.1:${push.port}`;
}
