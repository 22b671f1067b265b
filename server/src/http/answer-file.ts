import type { FastifyReply, FastifyRequest } from "fastify";
import type { PageFile, Variant } from "./page-files.ts";

type Headers = Readonly<Record<string, string>>;

/** Returns what answers a request with a file and headers of its own: in the smallest coding, or 304 where it is known. */
export function answerWith(file: PageFile, own: Headers) {
  return async (request: FastifyRequest, reply: FastifyReply) =>
    answer(reply, { file, own, request });
}

/** Returns what answers with a file that is made when it is first asked for, once. */
export function answerWithMade(make: () => Promise<PageFile>, own: Headers) {
  let made: Promise<PageFile> | null = null;
  const fileOnce = async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      // The next request may fare better.
      made = null;
      throw error;
    }
  };
  return async (request: FastifyRequest, reply: FastifyReply) =>
    answer(reply, { file: await fileOnce(), own, request });
}

interface Asked {
  readonly file: PageFile;
  /** Of the answer. */
  readonly own: Headers;
  readonly request: FastifyRequest;
}

function answer(reply: FastifyReply, { file, own, request }: Asked): FastifyReply {
  const { coding, content, etag } = chooseVariant(file, request);
  reply.headers({ ...own, "content-type": file.type, vary: "accept-encoding", etag });
  if (isKnown(request, etag)) return reply.code(304).send();
  if (coding !== null) reply.header("content-encoding", coding);
  return reply.send(content);
}

/** The smallest that the browser takes (RFC 9110 section 12.5.3). */
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

/** A weight of zero says that a coding is not acceptable. */
const REFUSED = /;\s*q=0(?:\.0*)?\s*$/;

/** RFC 9110 section 13.1.2: the comparison is weak, since a proxy that compresses weakens the tag. */
function isKnown(request: FastifyRequest, etag: string): boolean {
  const known = request.headers["if-none-match"] ?? "";
  return known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
