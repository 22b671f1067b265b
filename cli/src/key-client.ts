import { createClient, type Client } from "@tocsin/sdk";
import { usageError } from "./command.ts";
import { readApiKey, readServerUrl } from "./environment.ts";
import { parseAddressForSecret, DEFAULT_SERVER_URL } from "./server-address.ts";

/** The options of every command that uses an API key. */
export interface KeyOptions {
  readonly key?: string | undefined;
  readonly url?: string | undefined;
  readonly "allow-http"?: boolean | undefined;
}

/** Retries outlast a short interruption. The client's idempotency key prevents a second send. */
const RETRIES = 2;

/** A UUID of version 4 in any letter case (RFC 9562 section 5.4). */
const API_KEY_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Returns a client with the API key from `--key` or the environment; throws a usage error without a valid one. */
export function createKeyClient(options: KeyOptions): Client {
  const apiKey = options.key ?? readApiKey();
  if (apiKey === null) {
    throw usageError(
      "There is no API key. Put one into TOCSIN_API_KEY; the console makes keys, and so does tocsin key create.",
    );
  }
  if (!API_KEY_PATTERN.test(apiKey)) {
    throw usageError(
      "This is not an API key. A key is a UUID of version 4, and was shown when it was created.",
    );
  }
  const allowsHttp = options["allow-http"] === true;
  const serverUrl = options.url ?? readServerUrl() ?? DEFAULT_SERVER_URL;
  const baseUrl = parseAddressForSecret(serverUrl, { secret: "the API key", allowsHttp });
  return createClient({ baseUrl, apiKey, retries: RETRIES });
}
