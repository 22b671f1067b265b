import assert from "node:assert/strict";
import test from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { reportFigure } from "../attacks/bar.ts";
import { requestJson, parseErrorCode } from "./http-requests.ts";

/** User agents of link previewers and crawlers, from their documentation and from logs. */
const PREVIEW_AGENTS = [
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "Slackbot 1.0 (+https://api.slack.com/robots)",
  "Slack-ImgProxy (+https://api.slack.com/robots)",
  "Twitterbot/1.0",
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  "facebookexternalhit/1.1 Facebot Twitterbot/1.0",
  "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
  "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
  "WhatsApp/2.23.20.0 A",
  "TelegramBot (like TwitterBot)",
  "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
  "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) BingPreview/1.0b",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 (compatible; Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/))",
  "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
  "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
  "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) (Applebot/0.1)",
  "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
  "http.rb/5.1.1 (Mastodon/4.2.0; +https://mastodon.social/) Bot",
  "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)",
  "Synapse (bot; +https://github.com/matrix-org/synapse)",
  "Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)",
  "Pinterest/0.2 (+https://www.pinterest.com/bot.html)",
  "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)",
  "Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)",
  "Iframely/1.3.1 (+https://iframely.com/docs/about)",
  "Mozilla/5.0 (X11; Linux) Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots",
  "Viber/13.3.0.4",
  "facebookexternalhit/1.1;line-poker/1.0",
  "Mozilla/5.0 (compatible; Yahoo Link Preview; https://help.yahoo.com)",
] as const;

const PREFETCH_HEADERS: readonly Record<string, string>[] = [
  { "sec-purpose": "prefetch" },
  { "sec-purpose": "prefetch;prerender" },
  { "sec-purpose": "prefetch;anonymous-client-ip" },
  { purpose: "prefetch" },
  { purpose: "preview" },
  { "x-moz": "prefetch" },
  ...["image", "script", "style", "iframe", "frame", "font", "embed", "object", "video"].map(
    (destination) => ({ "sec-fetch-dest": destination }),
  ),
];

/** Headers of legitimate senders: browsers, monitors and scripts. */
const SENDER_HEADERS: readonly Record<string, string>[] = [
  {},
  { "user-agent": "" },
  { "user-agent": "curl/8.5.0" },
  { "user-agent": "python-requests/2.31.0" },
  { "user-agent": "Go-http-client/1.1" },
  { "user-agent": "Apprise" },
  { "user-agent": "Uptime-Kuma/1.23.11" },
  { "user-agent": "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)" },
  { "user-agent": "Home Assistant bot of mine" },
  { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0" },
  { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate", "sec-fetch-user": "?1" },
  { "sec-fetch-dest": "empty" },
];

test("a GET from a previewer or prefetcher gets 400 preview_blocked and sends nothing", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const path = `/api/v1/notify/${ann.key}?title=Hello&body=World`;
  const agents = PREVIEW_AGENTS.map((agent) => ({ "user-agent": agent }));
  for (const headers of [...agents, ...PREFETCH_HEADERS]) {
    const response = await requestJson(app.url, { path, headers });
    const message = JSON.stringify(headers);
    assert.deepEqual(
      [response.status, parseErrorCode(response)],
      [400, "preview_blocked"],
      message,
    );
  }
  assert.deepEqual((await ann.client.notifications.list()).items, []);
  assert.deepEqual(phone.requests, []);
});

test("HEAD sends nothing, whatever its headers", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const path = `/api/v1/notify/${ann.key}?title=Hello&body=World`;
  const agents = PREVIEW_AGENTS.map((agent) => ({ "user-agent": agent }));
  for (const headers of [...agents, ...PREFETCH_HEADERS, ...SENDER_HEADERS]) {
    await requestJson(app.url, { method: "HEAD", path, headers });
  }
  const { items } = await ann.client.notifications.list();
  assert.deepEqual([items, phone.requests], [[], []], "HEAD sent something");
  const previewers = PREVIEW_AGENTS.length + PREFETCH_HEADERS.length;
  reportFigure(
    t,
    `${previewers} previewer requests and ${previewers + SENDER_HEADERS.length} HEAD requests, 0 sent`,
  );
});

test("a GET from a person, a monitor or a script sends", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const path = `/api/v1/notify/${key}?title=Hello&body=World`;
  for (const headers of SENDER_HEADERS) {
    assert.equal(
      (await requestJson(app.url, { path, headers })).status,
      200,
      JSON.stringify(headers),
    );
  }
});

test("a POST is never treated as a preview", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const path = `/api/v1/notify/${key}?title=Hello&body=World`;
  const headers = { "user-agent": PREVIEW_AGENTS[0], "sec-purpose": "prefetch" };
  assert.equal((await requestJson(app.url, { method: "POST", path, headers })).status, 200);
});
