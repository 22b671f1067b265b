import webpush from "web-push";
import { checkSealed, nextBrowser } from "../peers/browsers.ts";
import { sampleMessage } from "../peers/message.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

const ORIGIN = "https://push.example.org";

/** The same messages made ready by the npm package `web-push`. */
export async function work(_input: object, span: Span): Promise<Busy> {
  const vapidDetails = { subject: "mailto:ops@example.org", ...webpush.generateVAPIDKeys() };
  const plaintext = Buffer.from(JSON.stringify(sampleMessage()));
  return keepBusy({ inFlight: 1, span }, async () => {
    await new Promise(setImmediate);
    const browser = nextBrowser();
    const { keys, index } = browser;
    const { body } = webpush.generateRequestDetails(
      { endpoint: `${ORIGIN}/${index}`, keys },
      plaintext,
      { vapidDetails, TTL: 86_400, urgency: "high", topic: "01JD4ZK3M1N8Q2R5" },
    );
    checkSealed(browser, body ?? Buffer.alloc(0), plaintext);
  });
}
