import type { BenchCase } from "./case.ts";
import { acceptAlone, acceptOnSqlite, acceptOnPostgres } from "./cases/accept.ts";
import { bytesOnDisk } from "./cases/bytes-on-disk.ts";
import { groupCommit } from "./cases/group-commit.ts";
import { apnsPushes, fcmPushes } from "./cases/native-push.ts";
import { webPushEncryption, webPushPosts } from "./cases/web-push.ts";
import { bulkNotification } from "./cases/bulk-notification.ts";
import { connectedApps } from "./cases/connected-apps.ts";
import { deviceCount } from "./cases/device-count.ts";
import { idleServer, idleLatency, sendsAfterRest, startUp } from "./cases/idle-server.ts";
import { liveStreams } from "./cases/live-streams.ts";
import { sendToAndroid, sendToBrowser, sendToIphone } from "./cases/send-to-device.ts";
import { storedNotifications } from "./cases/stored-notifications.ts";
import { soak } from "./cases/soak.ts";

/** All cases, in the order of the bars. */
export const CASES: readonly BenchCase[] = [
  acceptOnSqlite,
  acceptAlone,
  acceptOnPostgres,
  groupCommit,
  apnsPushes,
  fcmPushes,
  webPushEncryption,
  webPushPosts,
  bulkNotification,
  sendToIphone,
  sendToAndroid,
  sendToBrowser,
  idleLatency,
  sendsAfterRest,
  liveStreams,
  connectedApps,
  idleServer,
  startUp,
  deviceCount,
  storedNotifications,
  bytesOnDisk,
  soak,
];
