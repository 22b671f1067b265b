import type { Audience } from "#devices/audiences/audience.ts";
import type { InteractionFields } from "./interaction-fields.ts";
import type { DeviceCharge } from "./charge.ts";
import type { SendParameters } from "./request.ts";
import type { SendResponse } from "./send-response.ts";

/** The sender of an order: an API key, or a signed-in person. */
export interface OrderSender {
  /** The API key; null for a person. */
  readonly keyId: string | null;
  /** The first key of the rotation chain, or the person's account. */
  readonly sourceId: string;
  /** The account that owns the key, or that created it for its team. */
  readonly accountId: string;
  readonly teamId: string | null;
  readonly origin: OrderOrigin;
}

/** The origin of an order, for histories and the audit log. */
export interface OrderOrigin {
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly credential: {
    readonly kind: "session" | "access_token" | "api_key";
    readonly id: string | null;
  };
}

/** A send that asks somebody to act. */
export interface SendOrder {
  readonly sender: OrderSender;
  readonly audience: Audience;
  readonly parameters: SendParameters;
  readonly interaction: InteractionFields;
  /** Whether the caller waits for the results. */
  readonly isAwaited: boolean;
  /** The longest wait for the results, in milliseconds. */
  readonly waitMs: number;
  /** Called before anything is stored. Charges only once, however often the order is attempted. */
  readonly charge: DeviceCharge;
}

/** The ids in the response to an order, besides the id of its notification. */
export interface OrderIds {
  readonly incidentId?: string;
  readonly promptId?: string;
}

/** Returns the ids that are given and not null. The response has no member for the others. */
export function pickOrderIds({ incidentId, promptId }: NullableOrderIds): OrderIds {
  return {
    ...(typeof incidentId === "string" ? { incidentId } : {}),
    ...(typeof promptId === "string" ? { promptId } : {}),
  };
}

type NullableOrderIds = { readonly [Name in keyof OrderIds]?: string | null | undefined };

/** The response to an order. */
export interface Sent extends OrderIds {
  readonly response: SendResponse;
  /** Null if no notification was sent. */
  readonly notificationId: string | null;
  /** The notification with the text of the incident or prompt; absent if there is neither. */
  readonly textNotificationId?: string;
  /** The number of devices that the notification is for; null if there are too many to count. */
  readonly deviceCount: number | null;
}

/** Takes an order. The incidents and prompts rooms implement it. */
export type TakeOrder = (order: SendOrder) => Promise<Sent>;
