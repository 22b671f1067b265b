import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { AppError, invalidField } from "#errors.ts";
import { noSuchField, shortenName } from "./closed-schema.ts";
import { errorBody, statusOf, surfaceOf } from "./answer.ts";
import type { Server } from "./server.ts";

/** Turns every error of a route into the error response of its API, and unknown paths into 404. */
export function handleErrors(server: Server): void {
  server.setErrorHandler(answerError);
  server.setNotFoundHandler(answerNotFound);
  // Runs before the body is read: an unknown path is a 404 whatever its body.
  server.addHook("onRequest", async (request, reply) =>
    request.is404 ? answerNotFound(request, reply) : undefined,
  );
}

function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const message = "There is nothing at this path. The paths are listed at /docs.";
  const error = { code: "not_found", message, field: null, requestId: request.id } as const;
  return reply.code(404).send(errorBody(surfaceOf(request), error));
}

/** Sends the response to an error. Server errors are logged here, once. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const appError = toAppError(error, request);
  const fields = { err: appError.cause, route: request.routeOptions.url };
  if (appError.code === "internal") request.log.error(fields, "request failed");
  if (appError.code === "unavailable") request.log.warn(fields, "request refused for now");
  return answer(appError, request, reply);
}

function answer(error: AppError, request: FastifyRequest, reply: FastifyReply) {
  const surface = surfaceOf(request);
  // Node reads and drops the rest of an unread body, so that the client receives this response.
  if (reply.hasHeader("connection")) reply.removeHeader("connection");
  if (error.retryAfterMs !== null) {
    reply.header("retry-after", String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000))));
  }
  const { code, message, field } = error;
  return reply
    .code(statusOf(surface, code))
    .send(errorBody(surface, { code, message, field, requestId: request.id }));
}

/** Returns the error for a body whose content type is not JSON. */
export function unsupportedContentType(): AppError {
  const message = "Send the body with Content-Type: application/json.";
  return new AppError("unsupported_content_type", message);
}

/** The `Retry-After` of an unavailable server. */
const RETRY_AFTER_MS = 5_000;

/** Maps a framework error to an `AppError` with our own message; any unknown error is a server error. */
function toAppError(error: FastifyError, { server, method }: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  if (error.validation !== undefined) return fromValidation(error);
  const createError = FRAMEWORK_ERRORS[error.code];
  if (createError !== undefined) return createError();
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new AppError("invalid_request", "The request could not be read.", { cause: error });
  }
  if (server.isUnavailable(error)) {
    const isInDoubt = !READ_METHODS.has(method) && server.isInDoubt(error);
    const message = isInDoubt ? IN_DOUBT_MESSAGE : UNAVAILABLE_MESSAGE;
    return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
  return new AppError("internal", "Something went wrong on this server.", { cause: error });
}

/** Says nothing about earlier steps, which may be stored. */
const UNAVAILABLE_MESSAGE = "The server cannot reach or write its database now. Try again later.";
const IN_DOUBT_MESSAGE =
  "The database did not answer in time: this may have been done. Look before you repeat it.";

const READ_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

const FRAMEWORK_ERRORS: Readonly<Record<string, () => AppError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedContentType,
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new AppError("body_too_large", "The body is larger than 256 KiB. Shorten it."),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError("invalid_request", "The body is not as long as Content-Length says."),
};

/** Returns the error for the first invalid field; each `/` of its JSON pointer becomes a dot. */
function fromValidation(error: FastifyError): AppError {
  const [first] = error.validation ?? [];
  const missing = toOptionalString(first?.params["missingProperty"]);
  const unknown = toOptionalString(first?.params["additionalProperty"]);
  const path = (first?.instancePath ?? "").split("/").filter((part) => part !== "");
  const name = missing ?? unknown;
  const field = [...path, ...(name === undefined ? [] : [shortenName(name)])].join(".");
  const target = field === "" ? (error.validationContext ?? "body") : field;
  if (missing !== undefined) return invalidField(target, `${target} is required.`);
  if (unknown !== undefined) return noSuchField(target);
  return invalidField(target, `${target} ${first?.message ?? "is not valid"}.`);
}

function toOptionalString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
