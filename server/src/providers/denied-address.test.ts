import assert from "node:assert/strict";
import { isIPv6 } from "node:net";
import { test } from "node:test";
import {
  CLOUD_SERVICE_ADDRESSES,
  SPECIAL_PURPOSE_IPV4_BLOCKS,
  SPECIAL_PURPOSE_IPV6_BLOCKS,
} from "../../test/support/special-purpose-blocks.ts";
import { isDeniedAddress } from "./denied-address.ts";

test("the first and last address of every special-purpose block are denied", () => {
  for (const { block, name } of [...SPECIAL_PURPOSE_IPV4_BLOCKS, ...SPECIAL_PURPOSE_IPV6_BLOCKS]) {
    for (const address of getFirstAndLastAddress(block))
      assert.ok(isDeniedAddress(address), `${address} ${name}`);
  }
});

test("internal addresses of cloud providers are denied, even in public ranges", () => {
  for (const { address, service } of CLOUD_SERVICE_ADDRESSES)
    assert.ok(isDeniedAddress(address), service);
});

test("a denied IPv4 address is denied inside every IPv6 form", () => {
  const deniedAddresses = [
    ...SPECIAL_PURPOSE_IPV4_BLOCKS.flatMap(({ block }) => getFirstAndLastAddress(block)),
    ...CLOUD_SERVICE_ADDRESSES.map(({ address }) => address).filter((address) => !isIPv6(address)),
  ];
  for (const address of deniedAddresses) {
    for (const ipv6 of embedInIpv6(address)) assert.ok(isDeniedAddress(ipv6), ipv6);
  }
});

test("an IPv4 address mapped into IPv6 is denied in every spelling", () => {
  for (const address of [
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::FFFF:7F00:0001",
    "0:0:0:0:0:ffff:7f00:1",
    "0000:0000:0000:0000:0000:ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
  ]) {
    assert.ok(isDeniedAddress(address), address);
  }
});

test("an IPv6 address is denied if it has a zone or contains a public IPv4 address", () => {
  for (const address of ["fe80::1%eth0", "2606:4700:4700::1111%eth0", "64:FF9B::808:808"]) {
    assert.ok(isDeniedAddress(address), address);
  }
});

test("a string that is not an IP address is denied", () => {
  for (const address of ["", "localhost", "127.1", "1.2.3.4.5", "2130706433", "[2606:4700::1]"]) {
    assert.ok(isDeniedAddress(address), address);
  }
});

test("a public address is not denied, even next to a denied range", () => {
  for (const address of [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "161.25.255.255",
    "161.27.0.0",
    "166.7.255.255",
    "166.12.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.31.195.255",
    "192.31.197.0",
    "192.52.192.255",
    "192.52.194.0",
    "192.175.47.255",
    "192.175.49.0",
    "198.17.255.255",
    "198.20.0.0",
    "199.36.153.8",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2606:4700:4700::1111",
    "2620:4f:7fff::1",
    "2620:4f:8001::1",
    "2a00:1450:4001::200e",
  ]) {
    assert.ok(!isDeniedAddress(address), address);
  }
});

/**
 * Returns the first and last address of a block. Uses integers of 32 or 128 bits, so that the test shares no arithmetic
 * with the code.
 */
function getFirstAndLastAddress(block: string): readonly [first: string, last: string] {
  const [network = "", prefix = ""] = block.split("/");
  const bits = isIPv6(network) ? 128 : 32;
  const hostMask = (1n << BigInt(bits - Number(prefix))) - 1n;
  const firstAddress = parseAddress(network);
  assert.equal(firstAddress & hostMask, 0n, `${block} begins in the middle of a block`);
  return [formatAddress(firstAddress, bits), formatAddress(firstAddress + hostMask, bits)];
}

/** The number of groups of 16 bits in an IPv6 address. */
const IPV6_GROUP_COUNT = 8;

function parseAddress(address: string): bigint {
  if (!isIPv6(address)) return combineParts(address.split("."), 8n, 10);
  const [head = "", tail = ""] = address.split("::");
  const leadingGroups = splitGroups(head);
  const trailingGroups = splitGroups(tail);
  const zeroCount = IPV6_GROUP_COUNT - leadingGroups.length - trailingGroups.length;
  const zeros = Array<string>(zeroCount).fill("0");
  return combineParts([...leadingGroups, ...zeros, ...trailingGroups], 16n, 16);
}

function splitGroups(part: string): readonly string[] {
  return part === "" ? [] : part.split(":");
}

function combineParts(parts: readonly string[], bits: bigint, base: number): bigint {
  return parts.reduce((sum, part) => (sum << bits) + BigInt(Number.parseInt(part, base)), 0n);
}

function formatAddress(number: bigint, bits: number): string {
  const [partBits, base, separator] =
    bits === 32 ? ([8n, 10, "."] as const) : ([16n, 16, ":"] as const);
  const parts = Array.from({ length: bits / Number(partBits) }, (_, index) => {
    const shift = BigInt(bits) - partBits * BigInt(index + 1);
    return ((number >> shift) & ((1n << partBits) - 1n)).toString(base);
  });
  return parts.join(separator);
}

/**
 * Returns IPv6 addresses that contain an IPv4 address: compatible and mapped (RFC 4291), translated (RFC 6052, 8215,
 * 7915), 6to4 (RFC 3056) and Teredo (RFC 4380).
 */
function embedInIpv6(address: string): readonly string[] {
  const number = parseAddress(address);
  const groups = formatAddress(number, 128);
  const lastGroups = groups.split(":").slice(-2).join(":");
  // Teredo inverts the bits of a client's address.
  const invertedGroups = formatAddress(number ^ 0xff_ff_ff_ffn, 128)
    .split(":")
    .slice(-2)
    .join(":");
  return [
    `::${lastGroups}`,
    `::ffff:${address}`,
    `::ffff:${lastGroups}`,
    `::ffff:0:${lastGroups}`,
    `64:ff9b::${lastGroups}`,
    `64:ff9b:1::${lastGroups}`,
    `2002:${lastGroups}::1`,
    `2001:0:${lastGroups}::`,
    `2001::${invertedGroups}`,
  ];
}
