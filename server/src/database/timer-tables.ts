/** A time at which a room has something to do for a subject. */
export interface TimerTable {
  id: string;
  /** A `TimerKind`, or a kind of a later version. */
  kind: string;
  /** The id of the row that the timer is for, in a table of the room that set the timer. */
  subject_id: string;
  /** The planned time. A failed attempt does not change it, because the next repetition is planned from it. */
  run_at: number;
  /** The time of the next attempt: `run_at`, or later after a failed attempt. */
  due_at: number;
  /** The time at which the timer was last set, moved or failed. A future time was stored while the clock was ahead. */
  set_at: number;
  /** 1 if the planned time was given as a date, 0 if it was given as a duration. */
  is_absolute: number;
  /** Number of failed attempts since the timer was set or moved. */
  failures: number;
}
