import type { AccessEntry } from "./access-table.ts";
import type { AppFixture } from "./app-fixture.ts";
import { expectEveryone, expectOwner, type ExpectedStatuses } from "./expected-statuses.ts";

const PROMPT = { title: "Deploy?", body: "", choices: ["yes", "no"] } as const;

/** Opens a prompt with the key; returns the ids of its path, which is the prompt's id alone. */
async function createPromptIds(fixture: AppFixture, key: string): Promise<readonly string[]> {
  const { promptId } = await fixture.owner.withKey(key).notify(PROMPT);
  if (promptId === undefined) throw new Error("The server opened no prompt.");
  return [promptId];
}

const createPrompt = (fixture: AppFixture) => createPromptIds(fixture, fixture.owner.key);

const createTeamPrompt = async (fixture: AppFixture) =>
  createPromptIds(fixture, (await fixture.createTeam()).key);

/** Every member of the team is asked. To other accounts the prompt looks missing. */
const EVERY_MEMBER: ExpectedStatuses = { ...expectEveryone(200), other: 404 };

const createBody = () => ({ choice: "yes" });

/** Entries for the operations on prompts. */
export const PROMPT_ENTRIES: readonly AccessEntry[] = [
  { operation: "listPrompts", statuses: expectEveryone(200) },
  { operation: "getPrompt", statuses: expectOwner(200), createIds: createPrompt },
  { operation: "getPrompt", statuses: EVERY_MEMBER, createIds: createTeamPrompt },
  { operation: "answerPrompt", statuses: expectOwner(200), createIds: createPrompt, createBody },
  { operation: "answerPrompt", statuses: EVERY_MEMBER, createIds: createTeamPrompt, createBody },
];
