import type { Page } from "puppeteer-core";

/**
 * Makes every document that the page loads from now on show a public pairing link and a fixed code, so that pictures do
 * not change.
 */
export async function showPublicPairingLink(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(PUBLIC_PAIRING);
}

/** Makes every later document show a public address, a fixed topic and a fixed password for the app of ntfy. */
export async function showPublicAppPassword(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(PUBLIC_APP_PASSWORD);
}

const PUBLIC_PAIRING = createReplacement(
  "/pairings",
  `{ url: "https://push.example.org/add#token=abcdefghijklmnopqrstuvwxy-_", code: "K7RWQ3XMPT" }`,
);

const PUBLIC_APP_PASSWORD = createReplacement(
  "/v1/apps",
  `{ url: "https://push.example.org", topic: "all-7k2m9x4q1z", password: "k7rw-q3xm-pt4n-92bd" }`,
);

/** Returns a script that replaces members of the response to a creation. */
function createReplacement(path: string, members: string): string {
  return `{
  const realFetch = fetch;
  fetch = async (...args) => {
    const response = await realFetch(...args);
    if (!String(args[0]?.url ?? args[0]).endsWith("${path}")) return response;
    return Response.json({ ...(await response.json()), ...${members} }, { status: 201 });
  };
}`;
}
