/** What a look at one service of a provider found, for `tocsin doctor`. */
export interface ProviderCheck {
  /** The service, named as the provider's `serviceOf` names it. */
  readonly subject: string;
  readonly status: "ok" | "warn" | "fail";
  /** One sentence that says what was found; it holds no secret. */
  readonly message: string;
  /** One sentence that says what to do about it; null where there is nothing to do. */
  readonly mend: string | null;
}
