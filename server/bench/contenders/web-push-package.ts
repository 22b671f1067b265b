import webpush from "web-push";
import { checkEncrypted, nextBrowser } from "../support/browsers.ts";
import { createSampleMessage } from "../support/sample-message.ts";
import { createWebPushOptions } from "../support/web-push-options.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

const ORIGIN = "https://push.example.org";

/** Encrypts and authorises the sample message for many browsers with the npm package `web-push`. */
export async function measureRound(
  _input: object,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const options = createWebPushOptions();
  const plaintext = Buffer.from(JSON.stringify(createSampleMessage()));
  return measureThroughput({ concurrency: 1, durations }, async () => {
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
