import assert from "node:assert/strict";
import type { Outcome } from "#providers/provider.ts";

/** The data with which an outcome is checked. */
export interface OutcomeContext {
  /** When the attempt began, milliseconds since the epoch. */
  readonly startedAt: number;
  /** Strings that must not appear in the outcome. */
  readonly secrets: readonly string[];
}

const HOUR_MS = 60 * 60 * 1000;
const DETAIL_LENGTH_MAX = 200;
const RECEIPT_LENGTH_MAX = 128;

/** The allowed codes of each kind of outcome. */
const ALLOWED_CODES = {
  gone: ["device_gone", "device_invalid", "subscription_key_changed"],
  rejected: ["rejected", "payload_too_large", "endpoint_not_allowed"],
  refused: ["provider_misconfigured"],
  retry: [
    "transient",
    "ambiguous",
    "unreachable",
    "rate_limited",
    "suspect",
    "provider_misconfigured",
  ],
  // A push service keeps no message and refuses no subscription.
  kept: [],
  skipped: [],
} as const;

/** Asserts the rules that hold for every outcome. */
export function assertValidOutcome(outcome: Outcome, { startedAt, secrets }: OutcomeContext): void {
  const text = JSON.stringify(outcome);
  if (outcome.kind === "accepted") {
    const { receipt } = outcome;
    assert.ok(receipt === null || (receipt !== "" && receipt.length <= RECEIPT_LENGTH_MAX), text);
    return;
  }
  const codes: readonly string[] = ALLOWED_CODES[outcome.kind];
  assert.ok(codes.includes(outcome.reason.code), text);
  assertValidDetail(outcome.reason.detail, secrets);
  if (outcome.kind === "gone") assert.ok(outcome.goneAt <= startedAt, text);
  if (outcome.kind !== "retry") return;
  const { afterMs } = outcome;
  assert.ok(afterMs === null || (afterMs >= 0 && afterMs <= HOUR_MS), text);
}

function assertValidDetail(detail: string | null, secrets: readonly string[]): void {
  if (detail === null) return;
  assert.match(detail, /^[\x20-\x7e]+$/u);
  assert.ok(detail.length <= DETAIL_LENGTH_MAX, `${detail.length} characters`);
  for (const secret of ["Canary", ...secrets]) assert.ok(!detail.includes(secret), detail);
}

/** Formats an outcome: `retry transient`. */
export function formatOutcome(outcome: Outcome): string {
  return outcome.kind === "accepted" ? outcome.kind : `${outcome.kind} ${outcome.reason.code}`;
}
