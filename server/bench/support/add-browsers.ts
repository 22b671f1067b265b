import type { TestPerson } from "../../test/support/app.ts";
import { generateReceiverKeys } from "../../test/doubles/receiver-keys.ts";

/** Adds browsers of a push service to a person. */
export async function addBrowsers(
  { client }: TestPerson,
  { origin, count }: { readonly origin: string; readonly count: number },
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const { publicKeys: keys } = generateReceiverKeys();
    const { id } = await client.me();
    const endpoint = `${origin}/push/${id}-${index}`;
    const push = { provider: "webpush", endpoint, keys } as const;
    await client.devices.create({ name: `Browser ${index}`, platform: "web", push });
  }
}
