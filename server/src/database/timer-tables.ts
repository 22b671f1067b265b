/** A time at which a room has something to do for a subject. */
export interface TimerTable {
  id: string;
  /** A `TimerKind`, or a kind of a later version. */
  kind: string;
  /** The id of the row that the timer is for, in a table of the room that set the timer. */
  subject_id: string;
  /** The planned time. Failures do not move it, so that the next repetition is planned from here. */
  run_at: number;
  /** When a node runs the timer: `run_at`, or after a failure the time of the next attempt. */
  due_at: number;
  /** When the timer was set, moved or attempted last. A time in the future dates from a clock that was ahead. */
  set_at: number;
  /** 1 if the planned time was given as a date, 0 if as a duration from `set_at`. */
  is_absolute: number;
  /** Number of failed attempts since the timer was set or moved. */
  failures: number;
}
