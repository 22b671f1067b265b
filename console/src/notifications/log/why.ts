import {
  DELIVERY_CODES,
  type DeliveryCode,
  type DeliveryDetail,
  type ProviderName,
} from "@tocsin/sdk";
import type { texts } from "../../language/en-pages.ts";

/** Key of the texts about the state of a delivery: a code, or a code at one push service. */
export type WhyKey = keyof (typeof texts)["why"];

/** Explanation of a delivery. */
export interface Why {
  readonly key: WhyKey;
  /** Last failure, if the code itself does not give the reason; null if it does. */
  readonly cause: WhyKey | null;
}

/** Codes that mean something else at each push service. */
const BY_PROVIDER = ["accepted", "device_gone"] as const;
/** Codes that give a state, but no reason. */
const WITHOUT_CAUSE: readonly DeliveryCode[] = ["retrying", "expired", "gave_up"];

/** Returns the explanation of a delivery from its code and history; null for an unknown code of a newer server. */
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

/** Returns the text key of a code at a push service; null for an unknown code of a newer server. */
export function whyKeyOf(code: string | null, provider: ProviderName): WhyKey | null {
  const known = DELIVERY_CODES.find((one) => one === code);
  if (known === undefined) return null;
  return isByProvider(known) ? `${known}_${provider}` : known;
}

function isByProvider(code: DeliveryCode): code is (typeof BY_PROVIDER)[number] {
  return BY_PROVIDER.some((one) => one === code);
}
