import type { ActMeans, PromptState } from "@tocsin/sdk";
import { sql } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { castValue, insertUnderQuery, type Condition } from "#database/insert-under.ts";
import { toIncident, type IncidentColumns } from "#incidents/store/rows.ts";
import { isAsking, type Answer, type PersonalAnswer, type Prompt } from "../prompt.ts";

/** Returns the prompts with these ids, in the order of the ids; leaves out missing ones. */
export async function loadPrompts(
  { database: { db } }: Context,
  ids: readonly string[],
): Promise<readonly Prompt[]> {
  if (ids.length === 0) return [];
  // One statement, so that the state of the incident and the answers are from the same moment.
  const rows = await db
    .selectFrom("prompt")
    .innerJoin("incident", "incident.id", "prompt.id")
    .leftJoin("prompt_answer as given", "given.prompt_id", "prompt.id")
    .selectAll("incident")
    .select(["prompt.state as prompt_state", "prompt.answers_needed"])
    .select(["prompt.choice as last_choice", "prompt.answer_text as last_text"])
    .select([
      "given.account_id",
      "given.choice",
      "given.answer_text",
      "given.device_id as given_on",
    ])
    .select(["given.via", "given.at", "given.first_at"])
    .where("prompt.id", "in", ids)
    .orderBy("given.first_at")
    .orderBy("given.account_id")
    .execute();
  const rowsById = Map.groupBy(rows, ({ id }) => id);
  return ids.flatMap((id) => toPrompt(rowsById.get(id) ?? []) ?? []);
}

/** Returns a prompt; null if there is none. */
export async function loadPrompt(context: Context, id: string): Promise<Prompt | null> {
  const [prompt] = await loadPrompts(context, [id]);
  return prompt ?? null;
}

/** A prompt with one of its answers; the columns of the answer are null without one. */
interface PromptRow extends AnswerRow, IncidentColumns {
  readonly prompt_state: PromptState;
  readonly answers_needed: number;
  readonly last_choice: string | null;
  readonly last_text: string | null;
}

interface AnswerRow {
  readonly account_id: string | null;
  readonly choice: string | null;
  readonly answer_text: string | null;
  readonly given_on: string | null;
  readonly via: string | null;
  readonly at: number | null;
  readonly first_at: number | null;
}

function toPrompt(rows: readonly PromptRow[]): Prompt | null {
  const [row] = rows;
  const incident = row === undefined ? null : toIncident(row);
  if (row === undefined || incident === null || !isAsking(incident)) return null;
  const { last_choice: choice, last_text: text } = row;
  return {
    incident,
    state: row.prompt_state,
    answersNeeded: row.answers_needed,
    answer: choice === null && text === null ? null : { choice, text },
    answers: rows.flatMap((one) => toAnswer(one) ?? []),
  };
}

function toAnswer({ account_id, choice, answer_text, given_on, via, at, first_at }: AnswerRow) {
  if (account_id === null || at === null || first_at === null) return null;
  return {
    accountId: account_id,
    choice,
    text: answer_text,
    deviceId: given_on,
    via: via as ActMeans, // Only `saveAnswerQuery` writes the column.
    at,
    firstAt: first_at,
  };
}

/** Returns the query that stores a new prompt if a condition holds. */
export function insertPromptQuery(
  { database: { db } }: Context,
  { id, answersNeeded }: { readonly id: string; readonly answersNeeded: number },
  condition: Condition,
): Compilable {
  const row = {
    id,
    state: "open" as const,
    answers_needed: answersNeeded,
    choice: null,
    answer_text: null,
  };
  return insertUnderQuery(db, { table: "prompt", row }, condition);
}

/** The end of a prompt. `answer` is null if no answer ended it. */
export interface PromptEnd {
  readonly id: string;
  readonly state: Exclude<PromptState, "open">;
  readonly answer: Answer | null;
}

/** Returns the query that ends a prompt if a condition holds. */
export function endPromptQuery(
  { database: { db } }: Context,
  { id, state, answer }: PromptEnd,
  condition: Condition,
): Compilable {
  return db
    .updateTable("prompt")
    .set({ state, choice: answer?.choice ?? null, answer_text: answer?.text ?? null })
    .where("id", "=", id)
    .where(condition);
}

/** Returns the query that stores a person's answer in place of an earlier one, if a condition holds. */
export function saveAnswerQuery(
  { database: { db } }: Context,
  { promptId, answer }: { readonly promptId: string; readonly answer: PersonalAnswer },
  condition: Condition,
): Compilable {
  const row = {
    prompt_id: promptId,
    account_id: answer.accountId,
    choice: answer.choice,
    answer_text: answer.text,
    device_id: answer.deviceId,
    via: answer.via,
    at: answer.at,
    first_at: answer.firstAt,
  };
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
  const values = sql.join(Object.values(row).map(castValue));
  const statement = sql`insert into prompt_answer (${columns}) select ${values} where ${condition}
    on conflict (prompt_id, account_id) do update set choice = excluded.choice,
      answer_text = excluded.answer_text, device_id = excluded.device_id, via = excluded.via,
      at = excluded.at`;
  return { compile: () => statement.compile(db) };
}

/**
 * Returns the condition that the incident with the alias `owned` has a prompt in this state; for
 * `listReachedIncidents`.
 */
export function hasPromptState(state: PromptState) {
  return sql<boolean>`exists (
    select 1 from prompt where prompt.id = owned.id and prompt.state = ${state})`;
}

/** Returns the number of stored prompts by state. */
export async function countPromptsByState({
  database: { db },
}: Context): Promise<ReadonlyMap<PromptState, number>> {
  const rows = await db
    .selectFrom("prompt")
    .select(({ fn }) => ["state", fn.countAll().as("count")])
    .groupBy("state")
    .execute();
  return new Map(rows.map(({ state, count }) => [state, Number(count)]));
}
