import { BlockList, isIP } from "node:net";

/** Ranges of private, reserved and multicast addresses (IANA special-purpose registry, RFC 6890). */
const DENIED_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/**
 * Public ranges that a cloud provider uses only internally. Nothing in the address shows that. They are the wire server
 * of Azure (learn.microsoft.com, "What is IP address 168.63.129.16?", 2025), and services and service endpoints of IBM
 * Cloud (cloud.ibm.com/apidocs/vpc, reserved address ranges, 2025). Google's 199.36.153.4/30 and 199.36.153.8/30 are
 * not included: FCM may answer there.
 */
const DENIED_CLOUD_RANGES = ["161.26.0.0/16", "166.8.0.0/14", "168.63.129.16/32"];

/**
 * The only IPv6 range that is routed on the internet. Outside it are loopback, link-local, private and multicast
 * addresses, and addresses that contain an IPv4 address: mapped, compatible and NAT64.
 */
const GLOBAL_V6 = ["2000::/3"];

/**
 * The parts of the global range that tunnel to IPv4 (Teredo, 6to4), are not routed, are anycast to the nearest server
 * (AS112), or are reserved for documentation.
 */
const DENIED_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const deniedV4 = createBlockList([...DENIED_V4, ...DENIED_CLOUD_RANGES], "ipv4");
const globalV6 = createBlockList(GLOBAL_V6, "ipv6");
const deniedV6 = createBlockList(DENIED_V6, "ipv6");

/** Returns whether an IP address, in any spelling, cannot belong to a push service. */
export function isDeniedAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return deniedV4.check(address, "ipv4");
    case 6:
      // A zone ("%eth0") exists only on a local link.
      if (address.includes("%")) return true;
      return !globalV6.check(address, "ipv6") || deniedV6.check(address, "ipv6");
    default:
      return true;
  }
}

function createBlockList(ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix = ""] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
