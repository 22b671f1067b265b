import { queryOptions, type QueryClient } from "@tanstack/react-query";
import type { AnswerInput, Prompt } from "@tocsin/sdk";
import { client } from "../client.ts";
import { hasErrorCode } from "../errors.ts";
import { refreshFeed } from "../notifications/feed/feed-queries.ts";

/** Maximum number of open prompts in a list. */
const OPEN_MAX = 200;

/** Query for the open prompts that were put to the account. Live events refetch everything below the key `incidents`. */
export const openPromptsQuery = queryOptions({
  queryKey: ["incidents", "prompts", "open"],
  queryFn: async ({ signal }): Promise<readonly Prompt[]> =>
    (await client.prompts.list({ state: "open", limit: OPEN_MAX }, { signal })).items,
  staleTime: 0,
});

/** Returns the query for one prompt. A prompt that has ended does not change, so it is not fetched again. */
export function createPromptQuery(id: string) {
  return queryOptions({
    queryKey: ["incidents", "prompts", "one", id],
    queryFn: async ({ client: queryClient, signal }): Promise<Prompt> => {
      const known = queryClient.getQueryData(createPromptQuery(id).queryKey);
      return known !== undefined && known.state !== "open"
        ? known
        : client.prompts.get(id, { signal });
    },
  });
}

/** The result of an answer: the prompt after it. */
export interface AnswerResult {
  readonly prompt: Prompt;
  /** Whether the prompt had ended before, so that the answer does not count. */
  readonly isTooLate: boolean;
}

/** Answers a prompt, or changes the answer. Returns the prompt, instead of an error, if it had already ended. */
export async function answerPrompt(
  queryClient: QueryClient,
  id: string,
  answer: AnswerInput,
): Promise<AnswerResult> {
  const { queryKey } = createPromptQuery(id);
  try {
    const { prompt } = await client.prompts.answer(id, answer);
    queryClient.setQueryData(queryKey, prompt);
    return { prompt, isTooLate: false };
  } catch (error) {
    if (!hasErrorCode(error, "prompt_closed")) throw error;
    const prompt = await client.prompts.get(id);
    queryClient.setQueryData(queryKey, prompt);
    return { prompt, isTooLate: true };
  } finally {
    refreshFeed(queryClient);
    void queryClient.invalidateQueries({ queryKey: ["incidents"] });
  }
}
