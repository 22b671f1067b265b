// A Fastify server in a separate process that takes Tocsin's asynchronous sends: it reads the same request, checks the
// same fields and returns the same response, but stores nothing.
import { randomUUID } from "node:crypto";
import fastify from "fastify";
import { LOOPBACK } from "../../test/doubles/listen.ts";
import { notifyParent } from "./serve-push-service.ts";

const server = fastify();
server.post("/api/v1/notify-async", async (request, reply) => {
  // The load generator sends this form.
  const { title, body } = request.body as { readonly title?: unknown; readonly body?: unknown };
  const isValid = typeof title === "string" && typeof body === "string";
  if (!isValid || request.headers["x-api-key"] === undefined) {
    reply.code(400);
    return { success: false, message: "The request is invalid." };
  }
  reply.header("x-notification-id", randomUUID());
  return { success: true, message: "Notification accepted" };
});
const origin = await server.listen({ host: LOOPBACK, port: 0 });
notifyParent({ origin, pid: process.pid });
