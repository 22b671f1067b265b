/** A clock is set back where it shows less than before by more than it is ever corrected by the way. */
const SET_BACK_MS = 1_000;

/** Notices that the clock was set back. */
export class SetBack {
  #lastAt = Number.NEGATIVE_INFINITY;

  /** Whether the clock, which shows `at`, showed clearly more when it was noted last. */
  isSetBackAt(at: number): boolean {
    return at < this.#lastAt - SET_BACK_MS;
  }

  /** Notes what the clock shows. */
  note(at: number): void {
    this.#lastAt = at;
  }
}
