import type { Compilable, Database } from "#database/database.ts";
import { InDoubtError } from "#database/in-doubt-error.ts";

/** A fault in a process's next commit of a change to an incident. */
export type CommitFault =
  /** The commit is stored, but its response is lost. */
  | { readonly kind: "response_lost" }
  /** The commit never arrives, and the process cannot know. */
  | { readonly kind: "request_lost" }
  /** The process dies between the read and the commit. */
  | { readonly kind: "death_before" }
  /** The process dies after the commit, before it begins the pushes. */
  | { readonly kind: "death_after" }
  /** Another process does something between the read and the commit. */
  | { readonly kind: "interruption"; readonly run: () => Promise<void> };

/** Thrown at the point where a process dies, so that its remaining code does not run. */
export class DeathError extends Error {}

const WRITES_INCIDENT = /^(?:insert into incident |update "incident" )/;

/** Injects faults into the commits of one process. */
export class CommitFaults {
  #armed: CommitFault | null = null;

  /** Sets the fault in the next commit of a change to an incident. */
  arm(fault: CommitFault): void {
    this.#armed = fault;
  }

  /** Removes the fault. Returns true if it has already occurred, or if none was set. */
  disarm(): boolean {
    const hasOccurred = this.#armed === null;
    this.#armed = null;
    return hasOccurred;
  }

  /** Returns the database as the process sees it. */
  wrap(database: Database): Database {
    return { ...database, atomically: (queries) => this.#commit(database, queries) };
  }

  async #commit(database: Database, queries: readonly Compilable[]) {
    const fault = this.#armed;
    const writesIncident = queries.some((query) => WRITES_INCIDENT.test(query.compile().sql));
    if (fault === null || !writesIncident) return database.atomically(queries);
    this.#armed = null;
    const { kind } = fault;
    if (kind === "death_before") throw new DeathError(kind);
    if (kind === "interruption") await fault.run();
    if (kind !== "request_lost") {
      const results = await database.atomically(queries);
      if (kind === "interruption") return results;
    }
    if (kind === "death_after") throw new DeathError(kind);
    throw new InDoubtError(new Error(kind), (reads) => database.atomically(reads));
  }
}
