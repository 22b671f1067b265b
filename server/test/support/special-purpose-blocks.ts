/** A row of IANA's registries of special-purpose addresses, as of October 2025. */
export interface SpecialPurposeBlock {
  readonly block: string;
  readonly name: string;
  readonly reference: string;
}

/**
 * All rows of IANA's IPv4 registry (https://www.iana.org/assignments/iana-ipv4-special-registry), and multicast, which
 * has a separate registry (RFC 5771).
 */
export const SPECIAL_PURPOSE_IPV4_BLOCKS: readonly SpecialPurposeBlock[] = [
  { block: "0.0.0.0/8", name: "this network", reference: "RFC 791" },
  { block: "0.0.0.0/32", name: "this host on this network", reference: "RFC 1122" },
  { block: "10.0.0.0/8", name: "private use", reference: "RFC 1918" },
  { block: "100.64.0.0/10", name: "shared address space", reference: "RFC 6598" },
  { block: "127.0.0.0/8", name: "loopback", reference: "RFC 1122" },
  { block: "169.254.0.0/16", name: "link local", reference: "RFC 3927" },
  { block: "172.16.0.0/12", name: "private use", reference: "RFC 1918" },
  { block: "192.0.0.0/24", name: "IETF protocol assignments", reference: "RFC 6890" },
  { block: "192.0.0.0/29", name: "IPv4 service continuity prefix", reference: "RFC 7335" },
  { block: "192.0.0.8/32", name: "IPv4 dummy address", reference: "RFC 7600" },
  { block: "192.0.0.9/32", name: "port control protocol anycast", reference: "RFC 7723" },
  { block: "192.0.0.10/32", name: "TURN anycast", reference: "RFC 8155" },
  { block: "192.0.0.170/32", name: "NAT64 and DNS64 discovery", reference: "RFC 7050" },
  { block: "192.0.0.171/32", name: "NAT64 and DNS64 discovery", reference: "RFC 7050" },
  { block: "192.0.2.0/24", name: "documentation", reference: "RFC 5737" },
  { block: "192.31.196.0/24", name: "AS112-v4", reference: "RFC 7535" },
  { block: "192.52.193.0/24", name: "AMT", reference: "RFC 7450" },
  { block: "192.88.99.0/24", name: "6to4 relay anycast", reference: "RFC 7526" },
  { block: "192.88.99.2/32", name: "6a44 relay anycast", reference: "RFC 6751" },
  { block: "192.168.0.0/16", name: "private use", reference: "RFC 1918" },
  { block: "192.175.48.0/24", name: "direct delegation AS112 service", reference: "RFC 7534" },
  { block: "198.18.0.0/15", name: "benchmarking", reference: "RFC 2544" },
  { block: "198.51.100.0/24", name: "documentation", reference: "RFC 5737" },
  { block: "203.0.113.0/24", name: "documentation", reference: "RFC 5737" },
  { block: "224.0.0.0/4", name: "multicast", reference: "RFC 5771" },
  { block: "240.0.0.0/4", name: "reserved", reference: "RFC 1112" },
  { block: "255.255.255.255/32", name: "limited broadcast", reference: "RFC 8190" },
];

/**
 * All rows of IANA's IPv6 registry (https://www.iana.org/assignments/iana-ipv6-special-registry), and further reserved
 * blocks of RFC 4291.
 */
export const SPECIAL_PURPOSE_IPV6_BLOCKS: readonly SpecialPurposeBlock[] = [
  { block: "::1/128", name: "loopback", reference: "RFC 4291" },
  { block: "::/128", name: "unspecified", reference: "RFC 4291" },
  { block: "::/96", name: "IPv4-compatible", reference: "RFC 4291" },
  { block: "::ffff:0:0/96", name: "IPv4-mapped", reference: "RFC 4291" },
  { block: "64:ff9b::/96", name: "NAT64", reference: "RFC 6052" },
  { block: "64:ff9b:1::/48", name: "NAT64 of one network", reference: "RFC 8215" },
  { block: "100::/64", name: "discard only", reference: "RFC 6666" },
  { block: "100:0:0:1::/64", name: "dummy prefix", reference: "RFC 9780" },
  { block: "2001::/23", name: "IETF protocol assignments", reference: "RFC 2928" },
  { block: "2001::/32", name: "Teredo", reference: "RFC 4380" },
  { block: "2001:1::1/128", name: "port control protocol anycast", reference: "RFC 7723" },
  { block: "2001:1::2/128", name: "TURN anycast", reference: "RFC 8155" },
  { block: "2001:1::3/128", name: "DNS-SD SRP anycast", reference: "RFC 9665" },
  { block: "2001:2::/48", name: "benchmarking", reference: "RFC 5180" },
  { block: "2001:3::/32", name: "AMT", reference: "RFC 7450" },
  { block: "2001:4:112::/48", name: "AS112-v6", reference: "RFC 7535" },
  { block: "2001:10::/28", name: "ORCHID", reference: "RFC 4843" },
  { block: "2001:20::/28", name: "ORCHIDv2", reference: "RFC 7343" },
  { block: "2001:30::/28", name: "drone remote id", reference: "RFC 9374" },
  { block: "2001:db8::/32", name: "documentation", reference: "RFC 3849" },
  { block: "2002::/16", name: "6to4", reference: "RFC 3056" },
  { block: "2620:4f:8000::/48", name: "direct delegation AS112 service", reference: "RFC 7534" },
  { block: "3fff::/20", name: "documentation", reference: "RFC 9637" },
  { block: "5f00::/16", name: "SRv6 SIDs", reference: "RFC 9602" },
  { block: "fc00::/7", name: "unique local", reference: "RFC 4193" },
  { block: "fe80::/10", name: "link local", reference: "RFC 4291" },
  { block: "fec0::/10", name: "site local", reference: "RFC 3879" },
  { block: "ff00::/8", name: "multicast", reference: "RFC 4291" },
];

/** The addresses of cloud platform services: metadata, name servers and internal APIs. */
export const CLOUD_SERVICE_ADDRESSES: readonly {
  readonly address: string;
  readonly service: string;
}[] = [
  { address: "169.254.169.254", service: "metadata of most clouds" },
  { address: "169.254.170.2", service: "credentials of containers on AWS" },
  { address: "169.254.42.42", service: "metadata of Scaleway" },
  { address: "169.254.0.23", service: "metadata of Tencent" },
  { address: "100.100.100.200", service: "metadata of Alibaba" },
  { address: "192.0.0.192", service: "metadata of Oracle" },
  { address: "168.63.129.16", service: "wire server of Azure" },
  { address: "161.26.0.10", service: "services of IBM Cloud" },
  { address: "166.8.0.1", service: "service endpoints of IBM Cloud" },
  { address: "166.11.255.254", service: "service endpoints of IBM Cloud" },
  { address: "fd00:ec2::254", service: "metadata of AWS" },
  { address: "fd20:ce::254", service: "metadata of Google" },
  { address: "fd00:a9fe:a9fe::1", service: "metadata of Akamai" },
  { address: "fd00:c1::a9fe:a9fe", service: "metadata of Oracle" },
];
