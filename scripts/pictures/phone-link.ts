import type { Page } from "puppeteer-core";

/**
 * Makes every document that the page loads from now on show a public pairing link and a fixed code, so that pictures do
 * not change.
 */
export async function showPublicPairingLink(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(PUBLIC_PAIRING);
}

const PUBLIC_PAIRING = `{
  const realFetch = fetch;
  fetch = async (...args) => {
    const response = await realFetch(...args);
    if (!String(args[0]?.url ?? args[0]).endsWith("/pairings")) return response;
    const url = "https://push.example.org/add#token=abcdefghijklmnopqrstuvwxy-_";
    return Response.json({ ...(await response.json()), url, code: "K7RWQ3XMPT" }, { status: 201 });
  };
}`;
