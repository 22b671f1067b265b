import { Listeners } from "#concurrency/listeners.ts";
import type { AcceptListener } from "#delivery/accept/accept.ts";
import { createDelivery } from "#delivery/create-delivery.ts";
import type { ChangedDevice } from "#devices/store/devices.ts";
import { findIncidentAct } from "#incidents/store/incident-act.ts";
import { createFeedBackfill } from "#notifications/feed/backfill.ts";
import { LeftDeviceNotifier } from "#notifications/left-devices/notifier.ts";
import type { Publisher } from "#notifications/live/publish.ts";
import type { Provider } from "#providers/provider.ts";
import { createQueueSharing, TROUBLE_TOPIC } from "./connect-nodes.ts";
import type { Metrics } from "./metrics.ts";
import type { AppOptions, BaseDeps } from "./rooms.ts";
import { createServiceAlarm } from "./service-alarm.ts";

interface SendingDeps extends BaseDeps {
  readonly metrics: Metrics;
  readonly publisher: Publisher;
  readonly providers: readonly Provider[];
}

/**
 * Returns the delivery room, the listeners for reports of notifications that ask for an act, and the notifier that
 * informs owners of their retired devices.
 */
export function createSending(options: AppOptions, deps: SendingDeps) {
  const { context, nodes, provenTime, metrics, publisher, providers } = deps;
  const { config, random } = options;
  const deviceListeners = new Listeners<[device: ChangedDevice]>();
  deviceListeners.add(publisher.publishDevice);
  const reports = new Listeners<Parameters<Publisher["publishDelivery"]>>();
  const listener = createReportListener(metrics, publisher);
  const delivery = createDelivery({
    context,
    nodeId: nodes.id,
    sharing: createQueueSharing(config, nodes),
    providers,
    random,
    clockTrust: provenTime,
    onAccepted: createAcceptedListener(metrics, publisher),
    backfillFeed: createFeedBackfill({ context, publish: publisher.publishNotification }),
    publishReport(notification, report) {
      listener(notification, report);
      if (notification.interaction !== null) reports.call(notification, report);
    },
    findAct: (notification) => findIncidentAct(context, notification),
    onDeviceRetired: deviceListeners.call,
    onServiceChanged: createServiceAlarm(context.log),
    publishTrouble: (trouble) => nodes.publish(TROUBLE_TOPIC, trouble),
  });
  const leftDeviceNotifier = new LeftDeviceNotifier({ context, delivery, baseUrl: config.baseUrl });
  deviceListeners.add(() => leftDeviceNotifier.wake());
  return { delivery, leftDeviceNotifier, reports };
}

function createAcceptedListener(metrics: Metrics, publisher: Publisher): AcceptListener {
  return (notification, { isInFeed }) => {
    metrics.countAccepted(notification.audience.kind);
    if (isInFeed) publisher.publishNotification(notification);
  };
}

function createReportListener(
  metrics: Metrics,
  publisher: Publisher,
): Publisher["publishDelivery"] {
  return (notification, report) => {
    metrics.countReport(report);
    publisher.publishDelivery(notification, report);
  };
}
