//! Ranges that are not public: IANA's special-purpose address registries (RFC 6890), and cloud metadata services.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{in_v4, in_v6};

const PRIVATE: &str = "private (RFC 1918)";
const DOCUMENTATION: &str = "documentation";
const BENCHMARKING: &str = "benchmarking";
const MULTICAST: &str = "multicast";
const LOOPBACK: &str = "loopback";
const LINK_LOCAL: &str = "link-local";
const PROTOCOLS: &str = "IETF protocol assignments";
const AS112: &str = "AS112";
const AMT: &str = "automatic multicast tunneling";
const SIX_TO_FOUR: &str = "IPv4 embedded in IPv6 (6to4)";
const NAT64: &str = "IPv4 embedded in IPv6 (NAT64)";

/// Network, prefix length, name. The first matching row applies.
const V4: [(Ipv4Addr, u32, &str); 19] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, PRIVATE),
    (
        Ipv4Addr::new(100, 64, 0, 0),
        10,
        "shared address space (RFC 6598)",
    ),
    (Ipv4Addr::new(127, 0, 0, 0), 8, LOOPBACK),
    // Azure's metadata service has an address outside IANA's special-purpose ranges.
    (
        Ipv4Addr::new(168, 63, 129, 16),
        32,
        "cloud metadata service",
    ),
    (
        Ipv4Addr::new(169, 254, 169, 254),
        32,
        "cloud metadata service",
    ),
    (Ipv4Addr::new(169, 254, 0, 0), 16, LINK_LOCAL),
    (Ipv4Addr::new(172, 16, 0, 0), 12, PRIVATE),
    (Ipv4Addr::new(192, 0, 0, 0), 24, PROTOCOLS),
    (Ipv4Addr::new(192, 0, 2, 0), 24, DOCUMENTATION),
    (Ipv4Addr::new(192, 31, 196, 0), 24, AS112),
    (Ipv4Addr::new(192, 52, 193, 0), 24, AMT),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay anycast"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, PRIVATE),
    (Ipv4Addr::new(192, 175, 48, 0), 24, AS112),
    (Ipv4Addr::new(198, 18, 0, 0), 15, BENCHMARKING),
    (Ipv4Addr::new(198, 51, 100, 0), 24, DOCUMENTATION),
    (Ipv4Addr::new(203, 0, 113, 0), 24, DOCUMENTATION),
    (Ipv4Addr::new(224, 0, 0, 0), 4, MULTICAST),
];

/// IPv4-mapped addresses are converted to IPv4 before the lookup.
const V6: [(Ipv6Addr, u32, &str); 24] = [
    (v6([0, 0, 0, 0]), 128, "unspecified"),
    (Ipv6Addr::LOCALHOST, 128, LOOPBACK),
    (v6([0, 0, 0, 0]), 96, "IPv4 embedded in IPv6 (compatible)"),
    (
        Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0),
        96,
        "IPv4 embedded in IPv6 (translated)",
    ),
    (v6([0x64, 0xff9b, 0, 0]), 96, NAT64),
    (v6([0x64, 0xff9b, 1, 0]), 48, NAT64),
    (v6([0x100, 0, 0, 0]), 64, "discard-only"),
    (v6([0x100, 0, 0, 1]), 64, "dummy prefix"),
    (v6([0x2001, 0, 0, 0]), 32, "IPv4 embedded in IPv6 (Teredo)"),
    (v6([0x2001, 2, 0, 0]), 48, BENCHMARKING),
    (v6([0x2001, 3, 0, 0]), 32, AMT),
    (v6([0x2001, 4, 0x112, 0]), 48, AS112),
    (v6([0x2001, 0x10, 0, 0]), 28, "ORCHID"),
    (v6([0x2001, 0x20, 0, 0]), 28, "ORCHID"),
    (v6([0x2001, 0x30, 0, 0]), 28, "drone remote ID"),
    (v6([0x2001, 0, 0, 0]), 23, PROTOCOLS),
    (v6([0x2001, 0xdb8, 0, 0]), 32, DOCUMENTATION),
    (v6([0x2002, 0, 0, 0]), 16, SIX_TO_FOUR),
    (v6([0x2620, 0x4f, 0x8000, 0]), 48, AS112),
    (v6([0x3fff, 0, 0, 0]), 20, DOCUMENTATION),
    (v6([0xfc00, 0, 0, 0]), 7, "unique local (RFC 4193)"),
    (v6([0xfe80, 0, 0, 0]), 10, LINK_LOCAL),
    (v6([0xfec0, 0, 0, 0]), 10, "site-local"),
    (v6([0xff00, 0, 0, 0]), 8, MULTICAST),
];

/// The only IPv6 space assigned for public use.
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (v6([0x2000, 0, 0, 0]), 3);

const fn v6(start: [u16; 4]) -> Ipv6Addr {
    Ipv6Addr::new(start[0], start[1], start[2], start[3], 0, 0, 0, 0)
}

pub(super) fn find_v4(address: Ipv4Addr) -> Option<&'static str> {
    if address.is_broadcast() {
        return Some("broadcast");
    }
    let mut rows = V4.iter();
    let found = rows.find(|(network, length, _)| in_v4(address, *network, *length));
    let reserved = || (address.octets()[0] >= 240).then_some("reserved");
    found.map(|(.., range)| *range).or_else(reserved)
}

pub(super) fn find_v6(address: Ipv6Addr) -> Option<&'static str> {
    let mut rows = V6.iter();
    let found = rows.find(|(network, length, _)| in_v6(address, *network, *length));
    let (network, length) = GLOBAL_UNICAST;
    let unassigned = || (!in_v6(address, network, length)).then_some("not assigned for public use");
    found.map(|(.., range)| *range).or_else(unassigned)
}
