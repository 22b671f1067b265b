import type { AccessEntry } from "./access-table.ts";
import type { Operation } from "./operations.ts";
import type { AppFixture } from "./app-fixture.ts";

/**
 * The ids of the resources that the principals request with one operation. A successful write creates new resources for the
 * next principal. A read or a refusal keeps them: if a refusal did change them, the next response would show it.
 */
export class ResourceIds {
  readonly #create: () => Promise<readonly string[]>;
  readonly #isRead: boolean;
  #ids: readonly string[] | null = null;

  constructor(
    fixture: AppFixture,
    { operation, entry }: { readonly operation: Operation; readonly entry: AccessEntry },
  ) {
    this.#create = async () => (await entry.createIds?.(fixture)) ?? [];
    this.#isRead = operation.method === "GET";
  }

  /** Returns the ids in the order of the operation's path. */
  async getIds(): Promise<readonly string[]> {
    return (this.#ids ??= await this.#create());
  }

  /** Takes the status of the last response; after a successful write, the next request gets new resources. */
  record(status: number): void {
    if (!this.#isRead && status < 400) this.#ids = null;
  }
}
