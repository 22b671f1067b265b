/** Sends JSON to a server and returns its JSON response. Throws if the response is not a success. */
export async function callProgram(
  url: string,
  {
    headers = {},
    body,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly body: object },
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, unknown>>; // The called APIs respond with objects.
}
