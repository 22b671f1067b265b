import type { Address, Message, Outcome, ProviderName } from "#providers/provider.ts";

/** One attempt, as the process that makes it is told. */
export interface Attempt {
  readonly provider: ProviderName;
  readonly message: Message;
  readonly address: Address;
  /** Milliseconds since the epoch, by the clock that rules here. */
  readonly now: number;
}

/** What a process that makes attempts is told. */
export type Order =
  /** The first: what its providers are made of. */
  | { readonly kind: "start"; readonly settings: unknown }
  | { readonly kind: "send"; readonly attempt: Attempt }
  /** The attempt under way is given up. */
  | { readonly kind: "abort" };

/** What it says. */
export type Word =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly outcome: Outcome }
  /** The provider threw, which is a fault of ours, or was given up. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** An error that nobody caught ends the process; `where` has the lines of code, and nothing that was sent. */
  | { readonly kind: "dying"; readonly where: string };
