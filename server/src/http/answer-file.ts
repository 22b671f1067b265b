import type { FastifyReply, FastifyRequest } from "fastify";
import type { PageFile, Variant } from "./page-files.ts";

type Headers = Readonly<Record<string, string>>;

/** Returns a handler that sends a file with additional headers: in the smallest coding, or 304 if the client has it. */
export function sendFile(file: PageFile, extraHeaders: Headers) {
  return async (request: FastifyRequest, reply: FastifyReply) =>
    send(reply, { file, extraHeaders, request });
}

/** Returns a handler that loads a file on the first request, and then sends it to all. */
export function sendLazyFile(load: () => Promise<PageFile>, extraHeaders: Headers) {
  let loading: Promise<PageFile> | null = null;
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
    send(reply, { file: await loadOnce(), extraHeaders, request });
}

interface FileRequest {
  readonly file: PageFile;
  readonly extraHeaders: Headers;
  readonly request: FastifyRequest;
}

function send(reply: FastifyReply, { file, extraHeaders, request }: FileRequest): FastifyReply {
  const { coding, content, etag } = chooseVariant(file, request);
  reply.headers({ ...extraHeaders, "content-type": file.type, vary: "accept-encoding", etag });
  if (isCached(request, etag)) return reply.code(304).send();
  if (coding !== null) reply.header("content-encoding", coding);
  return reply.send(content);
}

/** Returns the smallest variant that the browser accepts (RFC 9110 section 12.5.3). */
function chooseVariant({ variants }: PageFile, request: FastifyRequest): Variant {
  const accepted = acceptedCodings(request.headers["accept-encoding"] ?? "");
  const variant = variants.find(({ coding }) => coding === null || accepted.has(coding));
  if (variant === undefined) throw new Error("A file has no plain content.");
  return variant;
}

function acceptedCodings(header: string): ReadonlySet<string> {
  const codings = header.toLowerCase().split(",");
  return new Set(
    codings
      .filter((coding) => !ZERO_WEIGHT.test(coding))
      .map((coding) => coding.split(";")[0]?.trim() ?? ""),
  );
}

/** A weight of zero means that the coding is not acceptable. */
const ZERO_WEIGHT = /;\s*q=0(?:\.0*)?\s*$/;

/** Compares weakly, since a proxy that compresses weakens the tag (RFC 9110 section 13.1.2). */
function isCached(request: FastifyRequest, etag: string): boolean {
  const header = request.headers["if-none-match"] ?? "";
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
