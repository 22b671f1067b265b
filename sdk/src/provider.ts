/** Every push protocol. */
export const PROVIDERS = ["apns", "fcm", "webpush"] as const;

/** Which push protocol reaches a device. */
export type ProviderName = (typeof PROVIDERS)[number];
