/** The headers that distinguish a person's click from a request that a program makes by itself. */
export interface AutomaticRequestHeaders {
  readonly "sec-purpose"?: string | string[] | undefined;
  readonly purpose?: string | string[] | undefined;
  readonly "x-moz"?: string | string[] | undefined;
  readonly "sec-fetch-dest"?: string | string[] | undefined;
  readonly "user-agent"?: string | undefined;
}

/** Destinations of page resources, which a browser loads without a click. */
const RESOURCE_DESTINATIONS: ReadonlySet<string> = new Set([
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

/** Programs that open links to preview or index them, by the lower-case names in their user agents. */
const PREVIEW_USER_AGENTS: readonly string[] = [
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

/**
 * Returns whether a link preview, a prefetch, a crawler or a page made the request by itself. Such a request must not send.
 */
export function isAutomaticRequest(headers: AutomaticRequestHeaders): boolean {
  const purpose = [headers["sec-purpose"], headers.purpose, headers["x-moz"]].flat().join(" ");
  if (/prefetch|prerender|preview/i.test(purpose)) return true;
  const [destination] = [headers["sec-fetch-dest"]].flat();
  if (destination !== undefined && RESOURCE_DESTINATIONS.has(destination.toLowerCase()))
    return true;
  const agent = (headers["user-agent"] ?? "").toLowerCase();
  return PREVIEW_USER_AGENTS.some((name) => agent.includes(name));
}
