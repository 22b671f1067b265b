import {
  DELIVERY_CODES,
  type DeliveryCode,
  type DeliveryDetail,
  type ProviderName,
} from "@tocsin/sdk";
import type { texts } from "../../language/en-pages.ts";

/** The key of the words for why a delivery stands where it does: a code, or a code at one push service. */
export type WhyKey = keyof (typeof texts)["why"];

/** What a person is told of a delivery that they wonder about. */
export interface Why {
  readonly key: WhyKey;
  /** What happened last, where the end itself does not tell; null where it does. */
  readonly cause: WhyKey | null;
}

/** Codes that mean something else at each push service. */
const BY_PROVIDER = ["accepted", "device_gone"] as const;
/** Codes that tell how it stands, and nothing of why. */
const WITHOUT_CAUSE: readonly DeliveryCode[] = ["retrying", "expired", "gave_up"];

/** Returns the words for a delivery by its code and its history; null for a code of a newer server. */
export function whyOf(
  delivery: Pick<DeliveryDetail, "code" | "provider" | "attemptHistory">,
): Why | null {
  const { code, provider, attemptHistory } = delivery;
  const key = whyKeyOf(code, provider);
  if (key === null) return null;
  const last = attemptHistory.findLast(({ outcome }) => outcome !== "accepted");
  const hasCause = WITHOUT_CAUSE.some((known) => known === code) && last !== undefined;
  return { key, cause: hasCause ? whyKeyOf(last.code, provider) : null };
}

/** Returns the words for a code at a push service; null for a code of a newer server. */
export function whyKeyOf(code: string | null, provider: ProviderName): WhyKey | null {
  const known = DELIVERY_CODES.find((one) => one === code);
  if (known === undefined) return null;
  return isByProvider(known) ? `${known}_${provider}` : known;
}

function isByProvider(code: DeliveryCode): code is (typeof BY_PROVIDER)[number] {
  return BY_PROVIDER.some((one) => one === code);
}
