import { fileURLToPath } from "node:url";
import { Listeners } from "#concurrency/listeners.ts";
import { createDelivery } from "#delivery/create-delivery.ts";
import type { ChangedDevice } from "#devices/store/devices.ts";
import { createLateFiling } from "#notifications/feed/file-late.ts";
import { LeftDeviceTeller } from "#notifications/left-devices/teller.ts";
import type { Publisher } from "#notifications/live/publish.ts";
import type { Provider } from "#providers/provider.ts";
import { peersOf, TROUBLE } from "./connect-nodes.ts";
import type { Metrics } from "./metrics.ts";
import type { AppOptions, Base } from "./rooms.ts";
import { createServiceAlarm } from "./service-alarm.ts";
import { packSettings } from "./solo-settings.ts";

const SOLO_ENTRY = fileURLToPath(new URL("./solo-main.ts", import.meta.url));

interface SendingDeps extends Base {
  readonly metrics: Metrics;
  readonly publisher: Publisher;
  readonly providers: readonly Provider[];
  readonly sender: Parameters<typeof packSettings>[1];
}

/** Returns the delivery room, and the notices to owners of devices that it retires. */
export function createSending(options: AppOptions, deps: SendingDeps) {
  const { context, nodes, proven, metrics, publisher, providers, sender } = deps;
  const { config, random } = options;
  const retired = new Listeners<[device: ChangedDevice]>();
  retired.add(publisher.device);
  const delivery = createDelivery({
    context,
    nodeId: nodes.id,
    peers: peersOf(config, nodes),
    providers,
    solo: { entry: SOLO_ENTRY, settings: () => packSettings(options, sender) },
    random,
    proven,
    onAccepted: createArrival(metrics, publisher),
    fileLate: createLateFiling({ context, publish: publisher.notification }),
    publish: createReport(metrics, publisher),
    onDeviceChanged: retired.call,
    onServiceChanged: createServiceAlarm(context.log),
    publishTrouble: (told) => nodes.publish(TROUBLE, told),
  });
  const leftDevices = new LeftDeviceTeller({ context, delivery, baseUrl: config.baseUrl });
  retired.add(() => leftDevices.wake());
  return { delivery, leftDevices };
}

function createArrival(metrics: Metrics, publisher: Publisher): Publisher["notification"] {
  return (notification) => {
    metrics.countAccepted(notification.audience.kind);
    publisher.notification(notification);
  };
}

function createReport(metrics: Metrics, publisher: Publisher): Publisher["delivery"] {
  return (notification, report) => {
    metrics.countReport(report);
    publisher.delivery(notification, report);
  };
}
