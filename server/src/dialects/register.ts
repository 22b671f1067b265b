import type { FastifyError } from "fastify";
import type { Dialect as DialectName } from "@tocsin/sdk";
import { prepareErrorResponse } from "#http/handle-errors.ts";
import type { Server } from "#http/server.ts";
import type { Dialect, DialectDeps } from "./dialect.ts";
import { GOTIFY } from "./gotify/gotify.ts";
import { NTFY } from "./ntfy/ntfy.ts";

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { ntfy: NTFY, gotify: GOTIFY };

/** Registers the routes of the dialects that an operator has switched on. Our own paths take precedence over theirs. */
export function registerDialects(
  server: Server,
  { dialects, ...deps }: DialectDeps & { readonly dialects: readonly DialectName[] },
): void {
  for (const name of dialects) {
    const { register, describeError } = DIALECTS[name];
    // A separate scope, so that its parsers and errors apply to no other route.
    void server.register(async (scope: Server) => {
      scope.decorateRequest("sender", null);
      scope.decorateRequest("signedInApp", null);
      readBodiesAsBytes(scope);
      acceptSecondSlash(scope);
      keepOutOfStores(scope);
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        const appError = prepareErrorResponse(error, request, reply);
        const { status, body } = describeError(appError, request);
        return reply.code(status).send(body);
      });
      register(scope, deps);
    });
  }
}

/** Keeps responses out of caches and search engines: the paths and queries may contain keys, and a GET request sends. */
function keepOutOfStores(scope: Server): void {
  scope.addHook("onRequest", async (_request, reply) => {
    reply.header("cache-control", "no-store");
    reply.header("x-robots-tag", "noindex");
  });
}

/** Passes every body to its route as bytes: the clients of these APIs send many content types, some of them wrong. */
function readBodiesAsBytes(scope: Server): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    done(null, body);
  });
  scope.addHook("onRequest", async ({ raw }) => {
    const contentType = raw.headers["content-type"];
    // Fastify refuses the request otherwise.
    if (contentType !== undefined && !MEDIA_TYPE.test(contentType)) {
      delete raw.headers["content-type"];
    }
  });
}

/** The beginning of a media type (RFC 9110 section 8.3.1). */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * Serves each path also with two slashes at its start: clients append `/message` to the URL of the server, which people type
 * with a slash at its end.
 */
function acceptSecondSlash(scope: Server): void {
  scope.addHook("onRoute", (route) => {
    if (route.url !== "/" && !route.url.startsWith("//")) {
      scope.route({ ...route, url: `/${route.url}` });
    }
  });
}
