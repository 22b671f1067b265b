import { ApnsClient, Notification, PushType } from "apns2";
import { Pool } from "undici";
import { makeProviderKey } from "../../test/doubles/apns/provider-key.ts";
import { nextToken } from "../peers/message.ts";
import { SAMPLE } from "../peers/sample.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const IN_FLIGHT = 500;

/** The same notification through `apns2`. */
export async function work(
  { origin, ca }: { readonly origin: string; readonly ca: string },
  span: Span,
): Promise<Busy> {
  const { privateKey: signingKey, keyId } = makeProviderKey();
  const defaultTopic = "org.example.tocsin";
  const client = new ApnsClient({ team: "ABCDE12345", keyId, signingKey, defaultTopic });
  await client.client.close();
  // It fixes port 443 and trusts public certificates alone; everything else of its pool stays as it was.
  const pool = new Pool(origin, {
    connect: { ca },
    connections: 32,
    pipelining: 1,
    allowH2: true,
    maxConcurrentStreams: 100,
  });
  Object.assign(client, { client: pool });
  const busy = await keepBusy({ inFlight: IN_FLIGHT, span }, async () => {
    await client.send(
      new Notification(nextToken(), {
        type: PushType.alert,
        alert: { title: SAMPLE.title, body: SAMPLE.body },
        sound: "default",
        expiration: 1_795_000_000,
        collapseId: "01JD4ZK3M1N8Q2R5T7V9X0Y2Z4",
        data: { link: SAMPLE.link },
      }),
    );
  });
  await client.destroy();
  return busy;
}
