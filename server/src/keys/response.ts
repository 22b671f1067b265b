import type { ApiKey as ApiKeyResponse, IssuedApiKey } from "@tocsin/sdk";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { ApiKey, IssuedKey } from "./api-key.ts";

/** Converts a key to its form in responses. */
export function toKeyResponse(apiKey: ApiKey): ApiKeyResponse {
  const { id, kind, teamId, label, hint, createdAt, lastUsedAt, expiresAt } = apiKey;
  const { replacedBy, isPostOnly: postOnly, escalationPolicyId, hasCallbackSecret } = apiKey;
  const { dialect, channel } = apiKey;
  return {
    id,
    kind,
    teamId,
    label,
    hint,
    createdAt: formatTimestamp(createdAt),
    lastUsedAt: toTimestampOrNull(lastUsedAt),
    expiresAt: toTimestampOrNull(expiresAt),
    replacedBy,
    postOnly,
    escalationPolicyId,
    hasCallbackSecret,
    dialect,
    channel,
  };
}

/** Converts a new key to its form in the only response that contains the key itself. */
export function toIssuedResponse({ key, apiKey }: IssuedKey): IssuedApiKey {
  return { ...toKeyResponse(apiKey), key };
}

/** Converts a key to the form in an account's export. */
export function toExportedKey(apiKey: ApiKey) {
  const { id, label, hint, postOnly, ...further } = toKeyResponse(apiKey);
  const { escalationPolicyId, hasCallbackSecret, createdAt, lastUsedAt, expiresAt } = further;
  const { dialect, channel } = further;
  const settings = { postOnly, escalationPolicyId, hasCallbackSecret, dialect, channel };
  return { id, label, hint, ...settings, createdAt, lastUsedAt, expiresAt };
}

function toTimestampOrNull(time: number | null): string | null {
  return time === null ? null : formatTimestamp(time);
}
