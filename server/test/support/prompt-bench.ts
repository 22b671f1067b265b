import type { PromptFields } from "#notifications/prompt-fields.ts";
import { SERVER } from "#audit/event.ts";
import { answerPrompt } from "#prompts/answer-prompt.ts";
import { parseButtonAnswer } from "#prompts/parse-answer.ts";
import { createAskedQuestion } from "#prompts/take-order.ts";
import { createTriggerOrder, type IncidentBench, type OrderOptions } from "./incident-bench.ts";
import { insertAccount, type RoomContext } from "./context.ts";

/** Deviations from a prompt of normal priority that has the choices `yes` and `no` and expires in an hour. */
export interface PromptOptions extends OrderOptions, Partial<PromptFields> {}

/** Sends a prompt, and returns its id. */
export async function ask(node: IncidentBench, options: PromptOptions = {}): Promise<string> {
  const { context, incidents } = node;
  const { choices = ["yes", "no"], allowsText = false, answersNeeded = 1 } = options;
  const expiresAt = context.now() + (options.expireAfterMs ?? 3_600_000);
  const fields = { choices, allowsText, answersNeeded };
  const content = { title: "Deploy?", priority: "normal", ...options.content } as const;
  const asked = createAskedQuestion(context, { fields, expiresAt });
  const order = createTriggerOrder(node, { ...options, incidentKey: null, content, asked });
  const result = await incidents.trigger(order);
  if (result.kind !== "changed") throw new Error(`The prompt was not sent: ${result.kind}.`);
  return result.change.incident.id;
}

interface GivenAnswer {
  readonly promptId: string;
  readonly accountId: string;
  readonly text: string;
  /** The device whose button is pressed; absent for a person who is signed in. */
  readonly deviceId?: string;
}

/** Answers a prompt as a person. */
export function answer(
  { context, incidents }: Pick<IncidentBench, "context" | "incidents">,
  { promptId, accountId, text, deviceId }: GivenAnswer,
) {
  return answerPrompt(
    { context, incidents },
    {
      promptId,
      accountId,
      deviceId: deviceId ?? null,
      via: "console",
      actor: SERVER,
      parse: (prompt) => parseButtonAnswer(prompt, text),
    },
  );
}

/** Creates a team with this many members; returns its id, and the account ids of the members. */
export async function insertTeam(context: RoomContext, memberCount: number) {
  const { db } = context.database;
  const teamId = context.newId();
  await db.insertInto("team").values({ id: teamId, name: "Ops", created_at: 0 }).execute();
  const memberIds: string[] = [];
  for (let index = 0; index < memberCount; index += 1) {
    const accountId = await insertAccount(context, { email: `member-${index}@example.org` });
    memberIds.push(accountId);
    const member = { id: context.newId(), team_id: teamId, account_id: accountId };
    await db
      .insertInto("team_member")
      .values({ ...member, role: "member", joined_at: 0, left_at: null })
      .execute();
  }
  return { teamId, memberIds };
}
