import { signUp, type TestPerson } from "../support/app.ts";
import type { Receiver } from "./receiver.ts";

/** Senders and their devices. */
export interface People {
  /** Sends to groups of devices. */
  readonly ann: TestPerson;
  /** As large as was asked; in the order of that. */
  readonly groups: readonly string[];
  /** Has two devices, and sends bulk where a campaign adds more. */
  readonly ben: TestPerson;
  /** The public key that push services know the server by. */
  readonly vapidKey: string;
}

/** Nine of ten notifications go to two devices, one to ten; no device gets so many that they wait for each other. */
const GROUP_SIZES: readonly number[] = [...Array.from({ length: 18 }, () => 2), 10, 10];
export const DEVICES_OF_BEN = 2;

/** Signs people up at a server, with devices at the receiver and groups of so many of them. */
export async function gatherPeople(
  url: string,
  { receiver, groupSizes = GROUP_SIZES }: { receiver: Receiver; groupSizes?: readonly number[] },
): Promise<People> {
  const ann = await signUp({ url }, "Ann");
  const ben = await signUp({ url }, "Ben");
  const groups: string[] = [];
  for (const [index, size] of groupSizes.entries()) {
    const deviceIds = await addDevices(ann, { receiver, size, name: `Ann-${index}` });
    const { id } = await ann.client.groups.create({ name: `Group ${index}`, deviceIds });
    groups.push(id);
  }
  await addDevices(ben, { receiver, size: DEVICES_OF_BEN, name: "Ben" });
  const { publicKey } = await ann.client.webPushKey();
  return { ann, groups, ben, vapidKey: publicKey };
}

async function addDevices(
  { client }: TestPerson,
  { receiver, size, name }: { receiver: Receiver; size: number; name: string },
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < size; index += 1) {
    const push = { provider: "webpush", ...receiver.subscription(`${name}-${index}`) } as const;
    const device = await client.devices.create({ name: `${name} ${index}`, platform: "web", push });
    ids.push(device.id);
  }
  return ids;
}
