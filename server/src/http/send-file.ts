import type { FastifyReply, FastifyRequest } from "fastify";
import type { StaticFile, FileVariant } from "./static-files.ts";

type ExtraHeaders = Readonly<Record<string, string>>;

/** Returns a handler that sends a file with additional headers: in the smallest coding, or 304 if the client has it. */
export function createFileHandler(file: StaticFile, extraHeaders: ExtraHeaders) {
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendVariant(reply, { file, extraHeaders, request });
}

/** Returns a handler that loads a file on the first request, and sends it in response to every request. */
export function createLazyFileHandler(load: () => Promise<StaticFile>, extraHeaders: ExtraHeaders) {
  let loading: Promise<StaticFile> | null = null;
  const loadOnce = async () => {
    loading ??= load();
    try {
      return await loading;
    } catch (error) {
      // The next request may succeed.
      loading = null;
      throw error;
    }
  };
  return async (request: FastifyRequest, reply: FastifyReply) =>
    sendVariant(reply, { file: await loadOnce(), extraHeaders, request });
}

interface FileRequest {
  readonly file: StaticFile;
  readonly extraHeaders: ExtraHeaders;
  readonly request: FastifyRequest;
}

function sendVariant(
  reply: FastifyReply,
  { file, extraHeaders, request }: FileRequest,
): FastifyReply {
  const { coding, content, etag } = chooseVariant(file, request);
  reply.headers({
    ...extraHeaders,
    "content-type": file.contentType,
    vary: "accept-encoding",
    etag,
  });
  if (isCopyCurrent(request, etag)) return reply.code(304).send();
  if (coding !== null) reply.header("content-encoding", coding);
  return reply.send(content);
}

/** Returns the smallest variant that the client accepts (RFC 9110 section 12.5.3). */
function chooseVariant({ variants }: StaticFile, request: FastifyRequest): FileVariant {
  const accepted = parseAcceptedCodings(request.headers["accept-encoding"] ?? "");
  const variant = variants.find(({ coding }) => coding === null || accepted.has(coding));
  if (variant === undefined) throw new Error("A file has no plain content.");
  return variant;
}

function parseAcceptedCodings(header: string): ReadonlySet<string> {
  const codings = header.toLowerCase().split(",");
  return new Set(
    codings
      .filter((coding) => !ZERO_WEIGHT.test(coding))
      .map((coding) => coding.split(";")[0]?.trim() ?? ""),
  );
}

/** A weight of zero means that the coding is not acceptable. */
const ZERO_WEIGHT = /;\s*q=0(?:\.0*)?\s*$/;

/**
 * Returns whether the client has this version. Compares weakly, because a proxy that compresses weakens the tag (RFC
 * 9110 section 13.1.2).
 */
function isCopyCurrent(request: FastifyRequest, etag: string): boolean {
  const header = request.headers["if-none-match"] ?? "";
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
