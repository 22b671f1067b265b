import type { Page } from "puppeteer-core";

/** Makes every page opened from now on show a public pairing link and a fixed code, so that pictures do not change. */
export async function showPublicPairingLink(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(PUBLIC_PAIRING);
}

const PUBLIC_PAIRING = `{
  const real = fetch;
  fetch = async (...asked) => {
    const answer = await real(...asked);
    if (!String(asked[0]?.url ?? asked[0]).endsWith("/pairings")) return answer;
    const url = "https://push.example.org/add#token=abcdefghijklmnopqrstuvwxy-_";
    return Response.json({ ...(await answer.json()), url, code: "K7RWQ3XMPT" }, { status: 201 });
  };
}`;
