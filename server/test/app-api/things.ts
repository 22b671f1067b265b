import type { Entry } from "./access-table.ts";
import type { Operation } from "./operations.ts";
import type { Stage } from "./stage.ts";

/**
 * The things that one operation is asked about by one principal after the other. They are made anew once a request has changed
 * them: a read or a refusal changes nothing, and if a refusal did, the next answer would show it.
 */
export class Things {
  readonly #make: () => Promise<readonly string[]>;
  readonly #isRead: boolean;
  #made: readonly string[] | null = null;

  constructor(
    stage: Stage,
    { operation, entry }: { readonly operation: Operation; readonly entry: Entry },
  ) {
    this.#make = async () => (await entry.ids?.(stage)) ?? [];
    this.#isRead = operation.method === "GET";
  }

  /** Returns their ids, as the path of the operation has them. */
  async ids(): Promise<readonly string[]> {
    return (this.#made ??= await this.#make());
  }

  /** Takes in the status of the last answer. */
  note(status: number): void {
    if (!this.#isRead && status < 400) this.#made = null;
  }
}
