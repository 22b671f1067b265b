/** A person, device or address that a step of an escalation policy tells. */
export type EscalationTarget =
  | { readonly kind: "group"; readonly groupId: string }
  | { readonly kind: "device"; readonly deviceId: string }
  | { readonly kind: "me" }
  | { readonly kind: "member"; readonly accountId: string }
  | { readonly kind: "team" }
  | { readonly kind: "mail"; readonly accountId?: string }
  | { readonly kind: "callback" };

/** A step of an escalation policy. */
export interface EscalationStep {
  /** Seconds after the incident began to ring. */
  readonly afterSeconds: number;
  readonly targets: readonly EscalationTarget[];
}

/** The policy as it was when an incident opened. */
export interface PolicySnapshot {
  readonly policyId: string;
  readonly name: string;
  readonly steps: readonly EscalationStep[];
  readonly remindAfterSeconds: number | null;
}
