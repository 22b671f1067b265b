import type { Browser } from "puppeteer-core";

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

/**
 * Evaluates an expression in the scope of the browser itself, and resolves with its value, once it is settled if it is a
 * promise. The value of an expression that throws is undefined.
 */
export async function evaluateInFirefox(browser: Browser, expression: string): Promise<unknown> {
  // Puppeteer does not declare the connection, and has no function for these windows.
  const { connection } = browser as unknown as { readonly connection: BidiConnection };
  const tree = await connection.send("browsingContext.getTree", { "moz:scope": "chrome" });
  const response = await connection.send("script.evaluate", {
    expression,
    target: { context: tree.result.contexts?.[0]?.context },
    awaitPromise: true,
  });
  return response.result.result?.value;
}
