/** Returns the URL of a link that may be clicked, http or https; null for any other scheme and for no URL. */
export function webUrlOf(link: string | null): URL | null {
  if (link === null || !URL.canParse(link)) return null;
  const url = new URL(link);
  return /^https?:$/.test(url.protocol) ? url : null;
}
