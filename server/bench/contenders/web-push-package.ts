import webpush from "web-push";
import { checkEncrypted, nextBrowser } from "../peers/browsers.ts";
import { sampleMessage } from "../peers/message.ts";
import { webPushOptions } from "../peers/web-push-options.ts";
import { keepBusy, type WorkFigures, type Duration } from "../work.ts";

const ORIGIN = "https://push.example.org";

/** Prepares the same messages with the npm package `web-push`. */
export async function work(_input: object, duration: Duration): Promise<WorkFigures> {
  const options = webPushOptions();
  const plaintext = Buffer.from(JSON.stringify(sampleMessage()));
  return keepBusy({ inFlight: 1, duration }, async () => {
    await new Promise(setImmediate);
    const browser = nextBrowser();
    const { keys, index } = browser;
    const { body } = webpush.generateRequestDetails(
      { endpoint: `${ORIGIN}/${index}`, keys },
      plaintext,
      options,
    );
    checkEncrypted(browser, body ?? Buffer.alloc(0), plaintext);
  });
}
