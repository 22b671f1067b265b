import type { ActMeans, PromptState } from "@tocsin/sdk";
import { sql, type Selectable } from "kysely";
import type { Context } from "#context.ts";
import type { Compilable } from "#database/database.ts";
import { castValue, insertUnderQuery, type Condition } from "#database/insert-under.ts";
import type { Schema } from "#database/schema.ts";
import type { Answer, AskingIncident, PersonalAnswer, Prompt } from "../prompt.ts";

/** Returns the prompts of incidents that ask, in the same order. */
export async function loadPrompts(
  { database: { db } }: Context,
  incidents: readonly AskingIncident[],
): Promise<readonly Prompt[]> {
  if (incidents.length === 0) return [];
  const ids = incidents.map(({ id }) => id);
  const [rows, answerRows] = await Promise.all([
    db.selectFrom("prompt").selectAll().where("id", "in", ids).execute(),
    db
      .selectFrom("prompt_answer")
      .selectAll()
      .where("prompt_id", "in", ids)
      .orderBy("first_at")
      .orderBy("account_id")
      .execute(),
  ]);
  const rowById = new Map(rows.map((row) => [row.id, row]));
  return incidents.flatMap((incident) => {
    const row = rowById.get(incident.id);
    // Retention may have removed it between the reads.
    if (row === undefined) return [];
    const answers = answerRows.filter(({ prompt_id }) => prompt_id === incident.id).map(toAnswer);
    return [toPrompt(incident, row, answers)];
  });
}

/** Returns the prompt of an incident that asks; null if it was removed. */
export async function loadPrompt(
  context: Context,
  incident: AskingIncident,
): Promise<Prompt | null> {
  const [prompt] = await loadPrompts(context, [incident]);
  return prompt ?? null;
}

function toPrompt(
  incident: AskingIncident,
  row: Selectable<Schema["prompt"]>,
  answers: readonly PersonalAnswer[],
): Prompt {
  const { choice, answer_text: text, answers_needed: answersNeeded, state } = row;
  const answer = choice === null && text === null ? null : { choice, text };
  return { incident, state, answersNeeded, answer, answers };
}

function toAnswer(row: Selectable<Schema["prompt_answer"]>): PersonalAnswer {
  return {
    accountId: row.account_id,
    choice: row.choice,
    text: row.answer_text,
    deviceId: row.device_id,
    via: row.via as ActMeans, // Only `saveAnswerQuery` writes it.
    at: row.at,
    firstAt: row.first_at,
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

/** The end of a prompt, with the answer that ended it; null if none did. */
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

/** Returns the query that stores the answer of a person, in the place of an earlier one, if a condition holds. */
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

/** Returns the condition that the incident `owned.id` of a list has a prompt in a state. */
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
