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

interface SendingDeps extends Base {
  readonly metrics: Metrics;
  readonly publisher: Publisher;
  readonly providers: readonly Provider[];
}

/** Returns the delivery room, and the notices to the owners of devices that it retires. */
export function createSending(options: AppOptions, deps: SendingDeps) {
  const { context, nodes, proven, metrics, publisher, providers } = deps;
  const { config, random } = options;
  const retired = new Listeners<[device: ChangedDevice]>();
  retired.add(publisher.device);
  const delivery = createDelivery({
    context,
    nodeId: nodes.id,
    peers: peersOf(config, nodes),
    providers,
    random,
    proven,
    onAccepted: createAcceptedListener(metrics, publisher),
    fileLate: createLateFiling({ context, publish: publisher.notification }),
    publish: createReportListener(metrics, publisher),
    onDeviceChanged: retired.call,
    onServiceChanged: createServiceAlarm(context.log),
    publishTrouble: (trouble) => nodes.publish(TROUBLE, trouble),
  });
  const leftDevices = new LeftDeviceTeller({ context, delivery, baseUrl: config.baseUrl });
  retired.add(() => leftDevices.wake());
  return { delivery, leftDevices };
}

function createAcceptedListener(metrics: Metrics, publisher: Publisher): Publisher["notification"] {
  return (notification) => {
    metrics.countAccepted(notification.audience.kind);
    publisher.notification(notification);
  };
}

function createReportListener(metrics: Metrics, publisher: Publisher): Publisher["delivery"] {
  return (notification, report) => {
    metrics.countReport(report);
    publisher.delivery(notification, report);
  };
}
