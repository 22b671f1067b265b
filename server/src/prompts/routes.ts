import { INTERACTION_LIMITS, PROMPT_STATES } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, parsePage, toPage } from "#http/page.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import { IdParams, PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import type { Incidents } from "#incidents/incidents.ts";
import { getMeans } from "#incidents/means.ts";
import { findReached, listTeamIds } from "#incidents/reader.ts";
import { listReachedIncidents } from "#incidents/store/reached-incidents.ts";
import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import { answerPrompt } from "./answer-prompt.ts";
import { parseAnswer } from "./parse-answer.ts";
import { loadPromptResponses } from "./response.ts";
import { AnsweredPromptSchema, PromptSchema } from "./schemas.ts";
import { hasPromptState, loadPrompt, loadPrompts } from "./store/prompts.ts";

/** The dependencies of the prompt routes. */
export interface PromptRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  readonly incidents: Pick<Incidents, "changeQuestion">;
  /** Limits the answers of each account, because people may change them as often as they like. */
  readonly rateLimit: RateLimiter;
}

const tags = ["Prompts"];

/** Registers the operations of people on the prompts that they receive. */
export function registerPromptRoutes(server: Server, deps: PromptRouteDeps): void {
  registerListRoute(server, deps);
  registerItemRoute(server, deps);
  registerAnswerRoute(server, deps);
}

function registerListRoute(server: Server, { context, authenticate }: PromptRouteDeps): void {
  const schema = {
    operationId: "listPrompts",
    summary: "List the prompts that I received, newest first",
    tags,
    querystring: Type.Object({
      ...PageQuery.properties,
      state: Type.Optional(Type.Enum([...PROMPT_STATES])),
    }),
    response: { 200: PageResponse(PromptSchema) },
  };
  server.get("/api/app/v1/prompts", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { after, limit } = parsePage(request.query);
    const { state } = request.query;
    const teamIds = await listTeamIds(context, accountId);
    const incidents = await listReachedIncidents(context, {
      accountId,
      teamIds,
      hasQuestion: true,
      states: null,
      after,
      limit: limit + 1,
      ...(state === undefined ? {} : { condition: hasPromptState(state) }),
    });
    const prompts = await loadPrompts(
      context,
      incidents.map(({ id }) => id),
    );
    return toPage(await loadPromptResponses(context, prompts, accountId), limit);
  });
}

function registerItemRoute(server: Server, { context, authenticate }: PromptRouteDeps): void {
  const schema = {
    operationId: "getPrompt",
    summary: "Show a prompt that I received, and its answers",
    tags,
    params: IdParams,
    response: { 200: PromptSchema },
  };
  server.get("/api/app/v1/prompts/:id", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const incident = await findReached(context, request.params.id, { accountId, deviceId: null });
    const prompt = incident === null ? null : await loadPrompt(context, incident.id);
    if (prompt === null) throw createNoSuchPromptError();
    const [response] = await loadPromptResponses(context, [prompt], accountId);
    return response ?? throwNoSuchPrompt();
  });
}

function registerAnswerRoute(server: Server, deps: PromptRouteDeps): void {
  const { choiceLength, answerTextLength } = INTERACTION_LIMITS;
  const schema = {
    operationId: "answerPrompt",
    summary: "Answer a prompt; the first answer counts, or the one that enough people give",
    errorStatuses: [404, 409, 429],
    tags,
    params: IdParams,
    body: Type.Object(
      {
        choice: Type.Optional(addDocumentedKeywords(Type.String(), { maxLength: choiceLength })),
        text: Type.Optional(
          addDocumentedKeywords(
            Type.String({ description: `At most ${answerTextLength} characters.` }),
            { maxLength: answerTextLength },
          ),
        ),
      },
      { description: "Exactly one of the two." },
    ),
    response: { 200: AnsweredPromptSchema },
  };
  server.post("/api/app/v1/prompts/:id/answer", { schema }, async (request) => {
    const { accountId, session, actor } = await deps.authenticate(request);
    deps.rateLimit.take(accountId, 1);
    const { choice, text } = request.body;
    const answered = await answerPrompt(deps, {
      promptId: request.params.id,
      accountId,
      deviceId: null,
      via: getMeans({ hasSession: session !== null, userAgent: request.headers["user-agent"] }),
      actor,
      parse: (question) => parseAnswer(question, { choice, text }),
    });
    return answered ?? throwNoSuchPrompt();
  });
}

function throwNoSuchPrompt(): never {
  throw createNoSuchPromptError();
}

function createNoSuchPromptError(): AppError {
  return new AppError("not_found", "You were asked no such question.");
}
