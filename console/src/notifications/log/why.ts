import {
  DELIVERY_CODES,
  type DeliveryCode,
  type DeliveryDetail,
  type ProviderName,
} from "@tocsin/sdk";
import type { texts } from "../../language/en-pages.ts";

/** The key of the texts for a result code, or for a result code of one push service. */
export type WhyKey = keyof (typeof texts)["why"];

/** The explanation of a delivery's state. */
export interface Why {
  readonly key: WhyKey;
  /** The last failure if the code gives no reason; otherwise null. */
  readonly cause: WhyKey | null;
}

/** Codes with a different meaning for each push service. */
const BY_PROVIDER = ["accepted", "device_gone"] as const;
/** Codes that name a state but no reason. */
const WITHOUT_CAUSE: readonly DeliveryCode[] = ["retrying", "expired", "gave_up"];

/** Returns the explanation of a delivery from its code and attempts; null for an unknown code of a newer server. */
export function explainDelivery(
  delivery: Pick<DeliveryDetail, "code" | "provider" | "attemptHistory">,
): Why | null {
  const { code, provider, attemptHistory } = delivery;
  const key = findWhyKey(code, provider);
  if (key === null) return null;
  const lastFailure = attemptHistory.findLast(({ outcome }) => outcome !== "accepted");
  const hasCause =
    WITHOUT_CAUSE.some((candidate) => candidate === code) && lastFailure !== undefined;
  return { key, cause: hasCause ? findWhyKey(lastFailure.code, provider) : null };
}

/** Returns the text key of a code for a push service; null for an unknown code of a newer server. */
export function findWhyKey(code: string | null, provider: ProviderName): WhyKey | null {
  const known = DELIVERY_CODES.find((candidate) => candidate === code);
  if (known === undefined) return null;
  return isByProvider(known) ? `${known}_${provider}` : known;
}

function isByProvider(code: DeliveryCode): code is (typeof BY_PROVIDER)[number] {
  return BY_PROVIDER.some((candidate) => candidate === code);
}
