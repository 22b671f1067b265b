import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from "fastify";
import { parse } from "node:querystring";
import { endConnectionsWhenClosing } from "./close.ts";
import { refuseUnknownFields } from "./closed-schema.ts";
import { limitReads } from "./limit-reads.ts";
import { compileOnFirstUse } from "./compile-schemas.ts";
import { sendError, handleErrors, createUnsupportedContentTypeError } from "./handle-errors.ts";
import { parseJsonBody } from "./json-body.ts";
import { refuseOtherMethods } from "./methods.ts";
import { collectOwnSegments } from "./own-segments.ts";
import { serialiseRequests } from "./serialise-requests.ts";
import { UnreadableRequests } from "./unreadable-requests.ts";
import { UnreadResponses, type UnreadResponseLimits } from "./unread-responses.ts";
import { WebSockets } from "./web-sockets.ts";

/** The HTTP server, with routes that are typed by their schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The dependencies of a server, and its limits. */
export interface ServerOptions {
  readonly log: FastifyBaseLogger;
  readonly newId: () => string;
  readonly trustProxy: boolean | string;
  /** Returns whether an error means that the server can store nothing for now; default never. */
  readonly isUnavailable?: (error: unknown) => boolean;
  /** Returns whether a request may have been stored despite such an error; default never. */
  readonly isInDoubt?: (error: unknown) => boolean;
  /** The limits of unread responses, in time and bytes; tests set lower ones. */
  readonly unreadLimits?: UnreadResponseLimits;
}

declare module "fastify" {
  interface FastifyInstance {
    isUnavailable(error: unknown): boolean;
    isInDoubt(error: unknown): boolean;
    readonly webSockets: WebSockets;
  }
  interface FastifyRequest {
    /** The route's pattern, never the URL, which may contain a key. */
    pattern: string;
  }
}

/** The largest request body, in bytes. */
export const BODY_MAX_BYTES = 256 * 1024;

/** Large enough for a notification in the query of a GET request: 4 kB of emoji take 12 to 16 kB there. */
const HEADER_MAX_BYTES = 32 * 1024;
/** How the server matches the path of a request to a route. */
const ROUTING_OPTIONS = { ignoreTrailingSlash: true, maxParamLength: HEADER_MAX_BYTES };
/** The time within which the headers of a request must arrive. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The time within which the whole request must arrive. */
const REQUEST_TIMEOUT_MS = 11_000;
/** Longer than the idle time of usual load balancers, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** The maximum number of headers of a request. */
const HEADERS_MAX = 64;
/** The policy of every response except pages, which set their own. A response that a browser opens loads nothing else. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; frame-ancestors 'none'";
/**
 * The interval of the check against the two timeouts of a request. With it and the time to close, the connection of an
 * incomplete request ends within 15 s.
 */
const TIMEOUT_CHECK_MS = 500;

/** Creates a server that answers every error in JSON, even a request that Node's parser cannot read. */
export function createServer(options: ServerOptions): Server {
  const { log, newId, trustProxy } = options;
  const { isUnavailable = () => false, isInDoubt = () => false } = options;
  const unreadableRequests = new UnreadableRequests(newId);
  const webSockets = new WebSockets();
  const ServerResponse = new UnreadResponses(options.unreadLimits).createResponseClass();
  const server = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would be expensive. Its few log lines include the id of the request anyway.
    childLoggerFactory: (logger) => logger,
    genReqId: newId,
    requestIdHeader: false,
    trustProxy,
    bodyLimit: BODY_MAX_BYTES,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: {
      ...ROUTING_OPTIONS,
      // Keeps a % that begins no escape sequence, and decodes the rest of the value.
      querystringParser: (query) => parse(query),
    },
    http: {
      maxHeaderSize: HEADER_MAX_BYTES,
      // Node itself would respond to a request without `Host`, but not in JSON.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      ServerResponse,
      shouldUpgradeCallback: webSockets.isUpgrade,
    },
    clientErrorHandler: unreadableRequests.handleClientError,
    frameworkErrors: (error, request, reply) => {
      // Hooks do not run for a path that cannot be decoded.
      setSecurityHeaders(request, reply);
      void sendError(error, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  prepareConnections(server.server);
  unreadableRequests.watch(server.server);
  webSockets.serve(server, ServerResponse);
  server.decorate("webSockets", webSockets);
  server.decorate("isUnavailable", isUnavailable).decorate("isInDoubt", isInDoubt);
  addRequestFields(server);
  addBodyParsers(server);
  addResponseHooks(server);
  endConnectionsWhenClosing(server);
  refuseUnknownFields(server);
  limitReads(server);
  compileOnFirstUse(server);
  refuseOtherMethods(server, ROUTING_OPTIONS);
  collectOwnSegments(server);
  handleErrors(server);
  return server;
}

function prepareConnections(server: RawServerDefault): void {
  server.maxHeadersCount = HEADERS_MAX;
  server.on("checkExpectation", (request, response) => {
    // RFC 9110 section 10.1.1 allows a server to ignore an unknown expectation.
    server.emit("request", request, response);
  });
  // A client that has sent everything may half-close, and still gets its response.
  Object.assign(server, { httpAllowHalfOpen: true });
  serialiseRequests(server);
}

function addRequestFields(server: Server): void {
  server.decorateRequest("principal", null);
  server.decorateRequest("pattern", "none");
}

function addBodyParsers(server: Server): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer)); // `parseAs` makes the body a buffer.
    } catch (error) {
      done(error as Error); // `parseJsonBody` throws only errors.
    }
  });
  // Many clients send a form's content type with an empty body.
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    done(body.length === 0 ? null : createUnsupportedContentTypeError(), undefined);
  });
}

/** The log levels that include a line for each response. */
const LEVELS_WITH_RESPONSES: ReadonlySet<string> = new Set(["debug", "trace"]);

function addResponseHooks(server: Server): void {
  server.addHook("onRequest", (request, reply, done) => {
    setSecurityHeaders(request, reply);
    done();
  });
  if (!LEVELS_WITH_RESPONSES.has(server.log.level)) return;
  server.addHook("onResponse", ({ id: reqId, method, pattern: route, log }, reply, done) => {
    const ms = Math.round(reply.elapsedTime);
    log.debug({ reqId, method, route, status: reply.statusCode, ms }, "answered");
    done();
  });
}

function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("x-request-id", request.id);
  reply.header("x-content-type-options", "nosniff");
  reply.header("referrer-policy", "no-referrer");
  reply.header("content-security-policy", CONTENT_SECURITY_POLICY);
  // Fastify creates these options on each access.
  const { url } = request.routeOptions;
  if (url !== undefined) request.pattern = url;
  if ((url ?? request.url).startsWith("/api/")) reply.header("cache-control", "no-store");
}
