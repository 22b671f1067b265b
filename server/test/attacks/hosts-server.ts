// A server in a separate process, so that the test's own work does not slow it down. Forked with the variable below, the
// process sends its URL to its parent, inserts the devices that it receives, and stops with its parent.
import { connect } from "node:net";
import { pino } from "pino";
import type { buildConnector } from "undici";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { createDoubleConnector, type DoubleAddress } from "../doubles/double-connector.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import { insertDevice } from "../support/context.ts";

/** Environment variable with the `Hosts`, as JSON. */
export const HOSTS_SETTING = "TOCSIN_TEST_HOSTS";

/** The addresses of the push services' host names. */
export interface Hosts {
  /** Hosts that respond, at their names and port 443. */
  readonly responsive: readonly DoubleAddress[];
  /** Port on this machine for all other names and ports. */
  readonly hangingPort: number;
}

/** A browser's subscription at a host, to insert for an account. */
export interface HostedDevice {
  readonly accountId: string;
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

const setting = process.env[HOSTS_SETTING];
if (setting !== undefined && process.send !== undefined) await serve(JSON.parse(setting));

async function serve(hosts: Hosts): Promise<void> {
  const app = await createApp({
    config: readConfig(process.env),
    log: pino({ level: "silent" }),
    now: Date.now,
    elapsed: () => performance.now(),
    random: Math.random,
    webPush: { connect: createConnector(hosts) },
  });
  const url = await app.start();
  process.on("message", (devices: readonly HostedDevice[]) => {
    void insertDevices(devices).then(() => process.send?.({ added: devices.length }));
  });
  process.on("disconnect", () => void app.stop().then(() => process.exit()));
  process.send?.({ url });

  async function insertDevices(devices: readonly HostedDevice[]): Promise<void> {
    for (const { accountId, endpoint, keys } of devices) {
      const address = { provider: "webpush", endpoint, keys } as const;
      await insertDevice(app.context, { accountId, name: "Hanging", platform: "web", address });
    }
  }
}

function createConnector({ responsive, hangingPort }: Hosts): buildConnector.connector {
  const connectToResponsive = createDoubleConnector(...responsive);
  return (target, callback) => {
    const isResponsive = responsive.some(({ names }) => names.includes(target.hostname));
    if (isResponsive && (target.port ?? "") === "") return connectToResponsive(target, callback);
    const socket = connect({ host: LOOPBACK, port: hangingPort });
    socket.once("error", (error) => callback(error, null));
    socket.once("connect", () => callback(null, socket));
  };
}
