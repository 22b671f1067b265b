import apn from "@parse/node-apn";
import { makeProviderKey } from "../../test/doubles/apns/provider-key.ts";
import { nextToken } from "../peers/message.ts";
import { SAMPLE } from "../peers/sample.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const IN_FLIGHT = 500;

/** The same notification through `@parse/node-apn`. */
export async function work(
  { origin, ca }: { readonly origin: string; readonly ca: string },
  span: Span,
): Promise<Busy> {
  const { privateKey, keyId } = makeProviderKey();
  const { hostname, port } = new URL(origin);
  const provider = new apn.Provider({
    token: { key: privateKey, keyId, teamId: "ABCDE12345" },
    address: hostname,
    port: Number(port),
    ca: [ca],
    production: true,
  });
  const notification = new apn.Notification({
    alert: { title: SAMPLE.title, body: SAMPLE.body },
    sound: "default",
    topic: "org.example.tocsin",
    pushType: "alert",
    priority: 10,
    expiry: 1_795_000_000,
    collapseId: "01JD4ZK3M1N8Q2R5T7V9X0Y2Z4",
    payload: { link: SAMPLE.link },
  });
  const busy = await keepBusy({ inFlight: IN_FLIGHT, span }, async () => {
    const { failed } = await provider.send(notification, nextToken());
    if (failed.length > 0) throw new Error(`A push failed: ${JSON.stringify(failed[0])}.`);
  });
  await provider.shutdown();
  return busy;
}
