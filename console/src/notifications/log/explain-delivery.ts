import {
  APP_PROOFS,
  DELIVERY_CODES,
  type DeliveryCode,
  type DeliveryDetail,
  type DeliveryProof,
  type ProviderName,
} from "@tocsin/sdk";
import type { texts } from "../../language/en-pages.ts";

/** The key of the texts for a result code, or for a result code of one push service. */
export type ExplanationKey = keyof (typeof texts)["explanation"];

/** The explanation of a delivery's state. */
export interface DeliveryExplanation {
  readonly key: ExplanationKey;
  /** The last failure if the code gives no reason; otherwise null. */
  readonly cause: ExplanationKey | null;
}

/** The codes with a different meaning for each push service. */
const CODES_BY_PROVIDER = ["accepted", "device_gone"] as const;
/** The codes that name a state but no reason. */
const CODES_WITHOUT_CAUSE: readonly DeliveryCode[] = ["retrying", "expired", "gave_up"];

/** The parts of a delivery that explain its state. */
type ExplainedDelivery = Pick<DeliveryDetail, "code" | "provider" | "proof" | "attemptHistory">;

/**
 * Returns the explanation of a delivery from its code, proof and attempts; null for an unknown code from a newer
 * server.
 */
export function explainDelivery({
  code,
  provider,
  proof,
  attemptHistory,
}: ExplainedDelivery): DeliveryExplanation | null {
  const key = findProofKey(proof) ?? findExplanationKey(code, provider);
  if (key === null) return null;
  const lastFailure = attemptHistory.findLast(({ outcome }) => outcome !== "accepted");
  const hasCause =
    CODES_WITHOUT_CAUSE.some((candidate) => candidate === code) && lastFailure !== undefined;
  return { key, cause: hasCause ? findExplanationKey(lastFailure.code, provider) : null };
}

/** Returns the text key of a proof; null without a proof, and for an unknown proof from a newer server. */
function findProofKey(proof: DeliveryProof | undefined): ExplanationKey | null {
  const how = APP_PROOFS.find((candidate) => candidate === proof?.how);
  return how === undefined ? null : `accepted_${how}`;
}

/** Returns the text key of a code for a push service; null for an unknown code from a newer server. */
export function findExplanationKey(
  code: string | null,
  provider: ProviderName,
): ExplanationKey | null {
  const knownCode = DELIVERY_CODES.find((candidate) => candidate === code);
  if (knownCode === undefined) return null;
  return isCodeByProvider(knownCode) ? `${knownCode}_${provider}` : knownCode;
}

function isCodeByProvider(code: DeliveryCode): code is (typeof CODES_BY_PROVIDER)[number] {
  return CODES_BY_PROVIDER.some((candidate) => candidate === code);
}
