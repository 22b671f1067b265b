// Started as a process of its own: Fastify that reads the same request, checks the same fields and gives the same
// answer. It stores nothing.
import { randomUUID } from "node:crypto";
import fastify from "fastify";
import { LOOPBACK } from "../../test/doubles/listen.ts";
import { tellStarter } from "./serving.ts";

const server = fastify();
server.post("/api/v1/notify-async", async (request, reply) => {
  // The load generator sends this.
  const { title, body } = request.body as { readonly title?: unknown; readonly body?: unknown };
  const isWhole = typeof title === "string" && typeof body === "string";
  if (!isWhole || request.headers["x-api-key"] === undefined) {
    reply.code(400);
    return { success: false, message: "That is not it." };
  }
  reply.header("x-notification-id", randomUUID());
  return { success: true, message: "Notification accepted" };
});
const origin = await server.listen({ host: LOOPBACK, port: 0 });
tellStarter({ origin, pid: process.pid });
