import { signUp, type TestPerson } from "../support/app.ts";
import type { CampaignPushService } from "./campaign-push-service.ts";

/** The senders of a campaign and their devices. */
export interface People {
  /** Sends to device groups. */
  readonly ann: TestPerson;
  /** Ids of Ann's groups, in the order of the requested sizes. */
  readonly groupIds: readonly string[];
  /** Has two devices; sends bulk notifications in campaigns that add more. */
  readonly ben: TestPerson;
  /** VAPID public key of the server. */
  readonly vapidKey: string;
}

/**
 * Nine of ten notifications go to two devices, and one of ten to ten devices. So few go to each device that none waits
 * in the device's queue.
 */
const GROUP_SIZES: readonly number[] = [...Array.from({ length: 18 }, () => 2), 10, 10];
/** Number of Ben's devices before a campaign adds more. */
export const BEN_DEVICE_COUNT = 2;

/** Signs up the senders, with devices at the push service and groups of the given sizes. */
export async function createPeople(
  url: string,
  {
    pushService,
    groupSizes = GROUP_SIZES,
  }: { pushService: CampaignPushService; groupSizes?: readonly number[] },
): Promise<People> {
  const ann = await signUp({ url }, "Ann");
  const ben = await signUp({ url }, "Ben");
  const groupIds: string[] = [];
  for (const [index, size] of groupSizes.entries()) {
    const deviceIds = await addDevices(ann, { pushService, size, name: `Ann-${index}` });
    const { id } = await ann.client.groups.create({ name: `Group ${index}`, deviceIds });
    groupIds.push(id);
  }
  await addDevices(ben, { pushService, size: BEN_DEVICE_COUNT, name: "Ben" });
  const { publicKey } = await ann.client.webPushKey();
  return { ann, groupIds, ben, vapidKey: publicKey };
}

async function addDevices(
  { client }: TestPerson,
  { pushService, size, name }: { pushService: CampaignPushService; size: number; name: string },
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < size; index += 1) {
    const push = {
      provider: "webpush",
      ...pushService.createSubscription(`${name}-${index}`),
    } as const;
    const device = await client.devices.create({ name: `${name} ${index}`, platform: "web", push });
    ids.push(device.id);
  }
  return ids;
}
