import { encrypt } from "#providers/webpush/encrypt.ts";
import { buildPayload } from "#providers/webpush/payload.ts";
import { Encryptor } from "#providers/webpush/encryption/encryptor.ts";
import { generateVapidKeys } from "#secrets/vapid-keys.ts";
import { VapidTokens } from "#providers/webpush/vapid-tokens.ts";
import { checkEncrypted, nextBrowser, type Browser } from "../peers/browsers.ts";
import { sampleMessage } from "../peers/message.ts";
import { BASE_URL, SUBJECT } from "../peers/sender.ts";
import { keepBusy, type WorkFigures, type Duration } from "../work.ts";

const IN_FLIGHT = 256;
const ORIGIN = "https://push.example.org";

/** Prepares one notification for many browsers: encrypts it and creates the sender's token. */
export async function work(
  { isInThreads }: { readonly isInThreads: boolean },
  duration: Duration,
): Promise<WorkFigures> {
  const tokens = new VapidTokens({
    keys: generateVapidKeys(),
    contact: async () => SUBJECT,
    now: Date.now,
    elapsed: () => performance.now(),
  });
  const plaintext =
    buildPayload({ message: sampleMessage(), baseUrl: BASE_URL }) ?? Buffer.alloc(0);
  const encryptor = new Encryptor();
  const encryptInThreads = ({ keys }: Browser) => encryptor.encrypt({ keys, plaintext });
  const encryptInProcess = async ({ keys }: Browser) => {
    // Yields to the event loop, as responses would.
    await new Promise(setImmediate);
    return encrypt({ keys, plaintext });
  };
  const encryptOne = isInThreads ? encryptInThreads : encryptInProcess;
  const busy = await keepBusy({ inFlight: isInThreads ? IN_FLIGHT : 1, duration }, async () => {
    const browser = nextBrowser();
    await tokens.authorization(ORIGIN);
    checkEncrypted(browser, await encryptOne(browser), plaintext);
  });
  await encryptor.close();
  return busy;
}
