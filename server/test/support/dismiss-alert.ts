import assert from "node:assert/strict";
import type { Browser } from "puppeteer-core";

const ATTEMPTS_MAX = 200;
const ATTEMPT_INTERVAL_MS = 50;

/** The part of Puppeteer's connection to Firefox that reaches the windows of the browser itself. */
interface BidiConnection {
  send(
    method: string,
    params: object,
  ): Promise<{
    readonly result: {
      readonly contexts?: readonly { readonly context: string }[];
      readonly result?: { readonly value?: unknown };
    };
  }>;
}

/** Presses the close button of the Firefox notification with this title, as a person would. */
export async function dismissAlert(browser: Browser, title: string): Promise<void> {
  // Puppeteer does not declare the connection, and has no function for these windows.
  const { connection } = browser as unknown as { readonly connection: BidiConnection };
  const tree = await connection.send("browsingContext.getTree", { "moz:scope": "chrome" });
  const response = await connection.send("script.evaluate", {
    expression: createDismissExpression(title),
    target: { context: tree.result.contexts?.[0]?.context },
    awaitPromise: true,
  });
  const isDismissed = response.result.result?.value;
  assert.equal(isDismissed, true, `Firefox shows no notification "${title}".`);
}

/** Returns an expression for the browser's own scope. Its value is false if the notification is not shown in time. */
function createDismissExpression(title: string): string {
  return `(async () => {
    for (let attempt = 0; attempt < ${ATTEMPTS_MAX}; attempt += 1) {
      for (const { document } of Services.wm.getEnumerator("alert:alert")) {
        if (document.getElementById("alertTitleLabel")?.getAttribute("value") !== ${JSON.stringify(title)}) continue;
        document.querySelector(".close-icon").click();
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, ${ATTEMPT_INTERVAL_MS}));
    }
    return false;
  })()`;
}
