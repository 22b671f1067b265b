import webpush from "web-push";
import { checkEncrypted, nextBrowser } from "../peers/browsers.ts";
import { sampleMessage } from "../peers/message.ts";
import { webPushOptions } from "../peers/web-push-options.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const ORIGIN = "https://push.example.org";

/** Makes the same messages ready with the npm package `web-push`. */
export async function work(_input: object, span: Span): Promise<Busy> {
  const options = webPushOptions();
  const plaintext = Buffer.from(JSON.stringify(sampleMessage()));
  return keepBusy({ inFlight: 1, span }, async () => {
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
