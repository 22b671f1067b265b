import { encrypt } from "#providers/webpush/encrypt.ts";
import { buildPayload } from "#providers/webpush/payload.ts";
import { Encryptor } from "#providers/webpush/encryption/encryptor.ts";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { VapidTokens } from "#providers/webpush/vapid-tokens.ts";
import { checkEncrypted, nextBrowser, type Browser } from "../support/browsers.ts";
import { createSampleMessage } from "../support/sample-message.ts";
import { BASE_URL, SUBJECT } from "../support/sender-credentials.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

const CONCURRENCY = 256;
const ORIGIN = "https://push.example.org";

/** Measures how fast one notification is prepared for many browsers: its encryption and its VAPID token. */
export async function measureRound(
  { usesThreads }: { readonly usesThreads: boolean },
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const tokens = new VapidTokens({
    keys: generateVapidKeys(),
    findContact: async () => SUBJECT,
    now: Date.now,
    elapsed: () => performance.now(),
  });
  const plaintext =
    buildPayload({ message: createSampleMessage(), baseUrl: BASE_URL }) ?? Buffer.alloc(0);
  const encryptor = new Encryptor();
  const encryptInThreads = ({ keys }: Browser) => encryptor.encrypt({ keys, plaintext });
  const encryptOnMainThread = async ({ keys }: Browser) => {
    // Yields to the event loop, as responses would.
    await new Promise(setImmediate);
    return encrypt({ keys, plaintext });
  };
  const encryptOne = usesThreads ? encryptInThreads : encryptOnMainThread;
  const figures = await measureThroughput(
    { concurrency: usesThreads ? CONCURRENCY : 1, durations },
    async () => {
      const browser = nextBrowser();
      await tokens.getAuthorization(ORIGIN);
      checkEncrypted(browser, await encryptOne(browser), plaintext);
    },
  );
  await encryptor.close();
  return figures;
}
