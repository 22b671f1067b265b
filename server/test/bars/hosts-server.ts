// A server in a process of its own, for an attack that a test's own work must not slow down: forked with the setting below, it
// tells its address, adds the devices that it is handed, and stops with the process that forked it.
import { connect } from "node:net";
import { pino } from "pino";
import type { buildConnector } from "undici";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config/config.ts";
import { dialTo, type Dialled } from "../doubles/dial.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import { insertDevice } from "../support/room.ts";

/** Names the environment variable that holds where hosts are, as JSON. */
export const HOSTS_SETTING = "TOCSIN_TEST_HOSTS";

/** Where the names of push services lead. */
export interface Hosts {
  /** Answer at their names and port 443. */
  readonly good: readonly Dialled[];
  /** All other names and ports lead there. */
  readonly elsewherePort: number;
}

/** A browser's subscription at a host, to be added to an account. */
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
    webPush: { connect: dialBoth(hosts) },
  });
  const url = await app.start();
  process.on("message", (devices: readonly HostedDevice[]) => {
    void addAll(devices).then(() => process.send?.({ added: devices.length }));
  });
  process.on("disconnect", () => void app.stop().then(() => process.exit()));
  process.send?.({ url });

  async function addAll(devices: readonly HostedDevice[]): Promise<void> {
    for (const { accountId, endpoint, keys } of devices) {
      const address = { provider: "webpush", endpoint, keys } as const;
      await insertDevice(app.context, { accountId, name: "Hanging", platform: "web", address });
    }
  }
}

function dialBoth({ good, elsewherePort }: Hosts): buildConnector.connector {
  const dialGood = dialTo(...good);
  return (target, callback) => {
    const isGood = good.some(({ names }) => names.includes(target.hostname));
    if (isGood && (target.port ?? "") === "") return dialGood(target, callback);
    const socket = connect({ host: LOOPBACK, port: elsewherePort });
    socket.once("error", (error) => callback(error, null));
    socket.once("connect", () => callback(null, socket));
  };
}
