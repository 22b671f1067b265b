import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { connect, createServer } from "node:tls";
import { generateCertificate } from "./certificate.ts";
import { LOOPBACK, listen } from "./listen.ts";

const NAMES = ["push.example.org", "other.example.org", LOOPBACK] as const;

test("a certificate is self-signed and contains every name", () => {
  const certificate = new X509Certificate(generateCertificate(NAMES).cert);
  assert.ok(certificate.verify(certificate.publicKey));
  assert.equal(certificate.checkHost("push.example.org"), "push.example.org");
  assert.equal(certificate.checkHost("other.example.org"), "other.example.org");
  assert.equal(certificate.checkIP(LOOPBACK), LOOPBACK);
  assert.equal(certificate.checkHost("evil.example.org"), undefined);
});

test("only a client that trusts the certificate completes a handshake", async (t) => {
  const { key, cert } = generateCertificate(NAMES);
  const server = createServer({ key, cert });
  const port = await listen(server);
  t.after(() => server.close());
  const servername = "push.example.org";

  const trustingClient = connect({ host: LOOPBACK, port, servername, ca: cert });
  await once(trustingClient, "secureConnect");
  assert.equal(trustingClient.authorized, true);
  trustingClient.destroy();

  const untrustingClient = connect({ host: LOOPBACK, port, servername });
  await assert.rejects(once(untrustingClient, "secureConnect"), {
    code: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
});

test("a certificate is valid from a day before its creation to a day after", () => {
  const { cert } = generateCertificate(NAMES, Date.UTC(2027, 4, 6, 7, 8, 9));
  const { validFromDate, validToDate } = new X509Certificate(cert);
  assert.equal(validFromDate.toISOString(), "2027-05-05T07:08:09.000Z");
  assert.equal(validToDate.toISOString(), "2027-05-07T07:08:09.000Z");
});
