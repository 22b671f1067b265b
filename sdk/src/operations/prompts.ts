import { fetchJson } from "../http.ts";
import type { AnswerInput, PromptsQuery } from "../prompt.ts";
import type { CallOptions } from "../request.ts";
import type { Server } from "../server.ts";
import type { AppApi } from "./app-api.ts";
import type { ReceiptOptions } from "./incidents.ts";

/** Returns the operations on the prompts that the account received. */
export function createPromptOperations(app: AppApi) {
  return {
    /** Returns the prompts, the newest first, in pages. */
    list: (query: PromptsQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "prompts.list", path: ["prompts"], query }),

    /** Returns one prompt with its answers. */
    get: (id: string, options: CallOptions = {}) =>
      app.get({ ...options, operation: "prompts.get", path: ["prompts", id] }),

    /** Answers a prompt, or changes the answer while the prompt is open. */
    answer: (id: string, answer: AnswerInput, options: CallOptions = {}) =>
      app.post({
        ...options,
        operation: "prompts.answer",
        path: ["prompts", id, "answer"],
        body: answer,
      }),
  };
}

/** Returns the operations of a sender on its own prompts, with the API key that sent them or its successor. */
export function createAskedPromptOperations(server: Server) {
  return {
    /** Returns a prompt; with `waitSeconds`, once it has ended or that time is over. */
    async get(id: string, { waitSeconds = 0, ...options }: ReceiptOptions = {}) {
      const { body } = await fetchJson(server, {
        ...options,
        operation: "askedPrompts.get",
        method: "GET",
        path: [...API_PATH, "prompts", id],
        query: { wait: waitSeconds === 0 ? null : waitSeconds },
        waitMs: waitSeconds * 1_000,
        auth: "key",
      });
      return body;
    },

    /** Cancels a prompt. A prompt that has ended stays as it is. */
    async cancel(id: string, options: CallOptions = {}) {
      const { body } = await fetchJson(server, {
        ...options,
        operation: "askedPrompts.cancel",
        method: "DELETE",
        path: [...API_PATH, "prompts", id],
        auth: "key",
      });
      return body;
    },
  };
}

const API_PATH = ["api", "v1"];
