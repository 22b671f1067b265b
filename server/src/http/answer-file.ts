import type { FastifyReply, FastifyRequest } from "fastify";
import type { PageFile, Variant } from "./page-files.ts";

type Headers = Readonly<Record<string, string>>;

/**
 * Returns the handler that answers with a file and headers of its own: in the smallest coding, or 304 if the client has
 * it.
 */
export function answerWith(file: PageFile, own: Headers) {
  return async (request: FastifyRequest, reply: FastifyReply) =>
    answer(reply, { file, own, request });
}

/** Returns the handler that answers with a file made on the first request, once. */
export function answerWithMade(make: () => Promise<PageFile>, own: Headers) {
  let made: Promise<PageFile> | null = null;
  const fileOnce = async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      // The next request may succeed.
      made = null;
      throw error;
    }
  };
  return async (request: FastifyRequest, reply: FastifyReply) =>
    answer(reply, { file: await fileOnce(), own, request });
}

interface FileRequest {
  readonly file: PageFile;
  /** Headers of the answer. */
  readonly own: Headers;
  readonly request: FastifyRequest;
}

function answer(reply: FastifyReply, { file, own, request }: FileRequest): FastifyReply {
  const { coding, content, etag } = chooseVariant(file, request);
  reply.headers({ ...own, "content-type": file.type, vary: "accept-encoding", etag });
  if (isKnown(request, etag)) return reply.code(304).send();
  if (coding !== null) reply.header("content-encoding", coding);
  return reply.send(content);
}

/** Returns the smallest variant that the browser accepts (RFC 9110 section 12.5.3). */
function chooseVariant({ variants }: PageFile, request: FastifyRequest): Variant {
  const accepted = acceptedCodings(request.headers["accept-encoding"] ?? "");
  const found = variants.find(({ coding }) => coding === null || accepted.has(coding));
  if (found === undefined) throw new Error("A file has no plain content.");
  return found;
}

function acceptedCodings(header: string): ReadonlySet<string> {
  const codings = header.toLowerCase().split(",");
  return new Set(
    codings
      .filter((coding) => !REFUSED.test(coding))
      .map((coding) => coding.split(";")[0]?.trim() ?? ""),
  );
}

/** A weight of zero marks a coding as not acceptable. */
const REFUSED = /;\s*q=0(?:\.0*)?\s*$/;

/** Compares weakly, since a proxy that compresses weakens the tag (RFC 9110 section 13.1.2). */
function isKnown(request: FastifyRequest, etag: string): boolean {
  const known = request.headers["if-none-match"] ?? "";
  return known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
