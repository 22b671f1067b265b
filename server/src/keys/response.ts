import {
  formatPushoverUserKey,
  type ApiKey as ApiKeyResponse,
  type IssuedApiKey,
} from "@tocsin/sdk";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { ApiKey, IssuedKey } from "./api-key.ts";

/** Converts a key to its form in responses to an account that may manage it. */
export function toKeyResponse(apiKey: ApiKey, accountId: string): ApiKeyResponse {
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
    userKey: dialect === "pushover" ? formatUserKey(teamId, accountId) : null,
  };
}

/** Converts a new key to its form in the only response that contains the key itself. */
export function toIssuedResponse({ key, apiKey }: IssuedKey, accountId: string): IssuedApiKey {
  return { ...toKeyResponse(apiKey, accountId), key };
}

/** Converts a key to the form in an account's export. */
export function toExportedKey(apiKey: ApiKey) {
  const { id, label, hint, isPostOnly: postOnly, escalationPolicyId, hasCallbackSecret } = apiKey;
  const { dialect, channel, createdAt, lastUsedAt, expiresAt } = apiKey;
  const settings = { postOnly, escalationPolicyId, hasCallbackSecret, dialect, channel };
  return {
    id,
    label,
    hint,
    ...settings,
    createdAt: formatTimestamp(createdAt),
    lastUsedAt: toTimestampOrNull(lastUsedAt),
    expiresAt: toTimestampOrNull(expiresAt),
  };
}

function formatUserKey(teamId: string | null, accountId: string): string {
  return formatPushoverUserKey(
    teamId === null ? { kind: "account", id: accountId } : { kind: "group", id: teamId },
  );
}

function toTimestampOrNull(time: number | null): string | null {
  return time === null ? null : formatTimestamp(time);
}
