import type { Page } from "puppeteer-core";

/** Lets every page that is opened from now on show a link that phones reach, and a code that does not change with every picture. */
export async function showLinkThatPhonesReach(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(ELSEWHERE);
}

const ELSEWHERE = `{
  const real = fetch;
  fetch = async (...asked) => {
    const answer = await real(...asked);
    if (!String(asked[0]?.url ?? asked[0]).endsWith("/pairings")) return answer;
    const url = "https://push.example.org/add#token=abcdefghijklmnopqrstuvwxy-_";
    return Response.json({ ...(await answer.json()), url, code: "K7RWQ3XMPT" }, { status: 201 });
  };
}`;
