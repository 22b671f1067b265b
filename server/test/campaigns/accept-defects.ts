import type { Defect } from "./defect.ts";

const PROCEDURE = "delivery/store/accept-procedure.ts";

/** JavaScript that blocks SQLite's thread for 20 ms, so that a kill at a random time is likely to fall into the pause. */
const PAUSE = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);";

/** Mistakes in the procedure that accepts notifications on SQLite, and in its commit. */
export const ACCEPT_DEFECTS: readonly [Defect, ...Defect[]] = [
  {
    mistake: "a batch is acknowledged before it is committed",
    file: "database/sqlite-worker.ts",
    replace: "  const results = commitTogether(",
    by: `  if (remaining.some(({ kind }) => kind === "call")) {
    database.exec("begin immediate");
    postReplies(remaining.map(handleRequest));
    ${PAUSE}
    database.exec("commit");
    return;
  }
  const results = commitTogether(`,
    breaks: /accepted notifications are not stored/,
  },
  {
    mistake: "a feed entry is committed before its notification",
    file: PROCEDURE,
    replace: "    insertNotification.run(",
    by: `    for (const [sql, ...values] of extraRows.splice(0)) this.#prepare(sql).run(...values);
    for (const sql of ["release work_item", "commit"]) this.#prepare(sql).run();
    ${PAUSE}
    for (const sql of ["begin immediate", "savepoint work_item"]) this.#prepare(sql).run();
    insertNotification.run(`,
    breaks: /feed entries have no notification/,
  },
  {
    mistake: "a notification is stored without its feed entry",
    file: PROCEDURE,
    replace: "for (const [sql, ...values] of extraRows)",
    by: "for (const [sql, ...values] of extraRows.slice(1))",
    breaks: /notifications are in no feed/,
  },
];
