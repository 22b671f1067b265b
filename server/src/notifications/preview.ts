/** The headers that tell a person's click from a program that looks ahead. */
export interface PreviewHeaders {
  readonly "sec-purpose"?: string | string[] | undefined;
  readonly purpose?: string | string[] | undefined;
  readonly "x-moz"?: string | string[] | undefined;
  readonly "sec-fetch-dest"?: string | string[] | undefined;
  readonly "user-agent"?: string | undefined;
}

/** Where a browser loads a part of some page, and nobody asked to send anything. */
const PARTS_OF_PAGES: ReadonlySet<string> = new Set([
  "audio",
  "audioworklet",
  "embed",
  "font",
  "frame",
  "iframe",
  "image",
  "manifest",
  "object",
  "paintworklet",
  "report",
  "script",
  "serviceworker",
  "sharedworker",
  "style",
  "track",
  "video",
  "worker",
  "xslt",
]);

/** Programs that open links to show or index what is behind them, as they name themselves, in lower case. */
const PREVIEWERS: readonly string[] = [
  "applebot",
  "baiduspider",
  "bingbot",
  "bytespider",
  "cardyb",
  "claudebot",
  "discordbot",
  "duckduckbot",
  "embedly",
  "facebookexternalhit",
  "facebot",
  "flipboardproxy",
  "google-pagerenderer",
  "google-read-aloud",
  "googlebot",
  "gptbot",
  "iframely",
  "kakaotalk-scrap",
  "line-poker",
  "linkedinbot",
  "mastodon",
  "meta-externalagent",
  "meta-externalfetcher",
  "notionembedder",
  "petalbot",
  "pinterest",
  "preview",
  "redditbot",
  "server crawler",
  "slack-imgproxy",
  "slackbot",
  "snapchat",
  "synapse (bot",
  "telegrambot",
  "twitterbot",
  "viber",
  "vkshare",
  "whatsapp",
  "yandexbot",
];

/** Returns whether a GET comes from something that only looks at the link: it must not send. */
export function isPreview(headers: PreviewHeaders): boolean {
  const purpose = [headers["sec-purpose"], headers.purpose, headers["x-moz"]].flat().join(" ");
  if (/prefetch|prerender|preview/i.test(purpose)) return true;
  const [destination] = [headers["sec-fetch-dest"]].flat();
  if (destination !== undefined && PARTS_OF_PAGES.has(destination.toLowerCase())) return true;
  const agent = (headers["user-agent"] ?? "").toLowerCase();
  return PREVIEWERS.some((name) => agent.includes(name));
}
