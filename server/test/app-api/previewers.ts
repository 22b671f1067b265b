/** User agents of chat previews, mail scanners, crawlers and `curl`. */
const USER_AGENTS = [
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  "WhatsApp/2.23.20.0",
  "TelegramBot (like TwitterBot)",
  "Twitterbot/1.0",
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "Slackbot 1.0 (+https://api.slack.com/robots)",
  "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
  "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
  "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
  "Mozilla/5.0 (compatible; MicrosoftPreview/2.0; +https://aka.ms/MicrosoftPreview)",
  "Viber/13.3.0 (iPhone; iOS 14.0)",
  "Iframely/1.3.1 (+https://iframely.com/docs/about)",
  "Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)",
  "redditbot/1.0",
  "Mastodon/4.2.0 (http.rb/5.1.1; +https://mastodon.social/)",
  "Synapse (bot; +https://github.com/matrix-org/synapse)",
  "Signal-Android/6.0",
  "Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/)",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
  "Mozilla/5.0 (via ggpht.com GoogleImageProxy)",
  "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
  "BarracudaCentral",
  "Mimecast-URL-Protect",
  "Proofpoint URL Defense",
  "Mozilla/4.0 (compatible; ms-office; MSOffice 16)",
  "curl/8.5.0",
];

/** Headers of browsers that load a page before a person opens it. */
const PREFETCH_HEADERS = [
  { "sec-purpose": "prefetch" },
  { "sec-purpose": "prefetch;prerender" },
  { purpose: "prefetch" },
];

/** The headers of programs that open links without a person. */
export const PREVIEWERS: readonly Readonly<Record<string, string>>[] = [
  ...USER_AGENTS.map((userAgent) => ({ "user-agent": userAgent })),
  ...PREFETCH_HEADERS,
];
