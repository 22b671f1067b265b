import assert from "node:assert/strict";
import type { Outcome } from "#providers/provider.ts";

/** Context in which an outcome is judged. */
export interface OutcomeContext {
  /** When the provider was asked, milliseconds since the epoch. */
  readonly askedAt: number;
  /** Texts that must never appear. */
  readonly secrets: readonly string[];
}

const HOUR_MS = 60 * 60 * 1000;
const DETAIL_LENGTH_MAX = 200;
const RECEIPT_LENGTH_MAX = 128;

/** The codes that each kind of outcome may have. */
const CODES = {
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
} as const;

/** Requires of an outcome what holds for every one, whatever it says. */
export function requireOutcome(outcome: Outcome, { askedAt, secrets }: OutcomeContext): void {
  const text = JSON.stringify(outcome);
  if (outcome.kind === "accepted") {
    const { receipt } = outcome;
    assert.ok(receipt === null || (receipt !== "" && receipt.length <= RECEIPT_LENGTH_MAX), text);
    return;
  }
  const codes: readonly string[] = CODES[outcome.kind];
  assert.ok(codes.includes(outcome.reason.code), text);
  requireDetail(outcome.reason.detail, secrets);
  if (outcome.kind === "gone") assert.ok(outcome.asOf <= askedAt, text);
  if (outcome.kind !== "retry") return;
  const { afterMs } = outcome;
  assert.ok(afterMs === null || (afterMs >= 0 && afterMs <= HOUR_MS), text);
}

function requireDetail(detail: string | null, secrets: readonly string[]): void {
  if (detail === null) return;
  assert.match(detail, /^[\x20-\x7e]+$/u);
  assert.ok(detail.length <= DETAIL_LENGTH_MAX, `${detail.length} characters`);
  for (const secret of ["Canary", ...secrets]) assert.ok(!detail.includes(secret), detail);
}

/** Returns what an outcome comes to in words: `retry transient`. */
export function saidBy(outcome: Outcome): string {
  return outcome.kind === "accepted" ? outcome.kind : `${outcome.kind} ${outcome.reason.code}`;
}
