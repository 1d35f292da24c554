//! Classification of public IP addresses.

mod ranges;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Name of the special-purpose range an address is in; none for a public address.
///
/// Covers private, shared, loopback, link-local and unique local addresses, and the other ranges of IANA's special-purpose
/// registries. An IPv4-mapped IPv6 address is classified by its IPv4 address. The other ways to embed IPv4 in IPv6 are always
/// forbidden, because a translator on the path determines the destination.
#[must_use]
pub fn forbidden_range(address: IpAddr) -> Option<&'static str> {
    match address.to_canonical() {
        IpAddr::V4(address) => ranges::find_v4(address),
        IpAddr::V6(address) => ranges::find_v6(address),
    }
}

/// Whether the first `length` bits of the addresses are equal.
fn in_v4(address: Ipv4Addr, network: Ipv4Addr, length: u32) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= length
}

fn in_v6(address: Ipv6Addr, network: Ipv6Addr, length: u32) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(address: &str) -> Option<&'static str> {
        forbidden_range(address.parse().unwrap())
    }

    #[test]
    fn ranges_contain_their_first_and_last_address_and_not_the_adjacent_ones() {
        for (before, first, last, after) in [
            ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
            (
                "100.63.255.255",
                "100.64.0.0",
                "100.127.255.255",
                "100.128.0.0",
            ),
            (
                "126.255.255.255",
                "127.0.0.0",
                "127.255.255.255",
                "128.0.0.0",
            ),
            (
                "169.253.255.255",
                "169.254.0.0",
                "169.254.255.255",
                "169.255.0.0",
            ),
            (
                "172.15.255.255",
                "172.16.0.0",
                "172.31.255.255",
                "172.32.0.0",
            ),
            ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
            ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
            (
                "192.31.195.255",
                "192.31.196.0",
                "192.31.196.255",
                "192.31.197.0",
            ),
            (
                "192.52.192.255",
                "192.52.193.0",
                "192.52.193.255",
                "192.52.194.0",
            ),
            (
                "192.88.98.255",
                "192.88.99.0",
                "192.88.99.255",
                "192.88.100.0",
            ),
            (
                "192.175.47.255",
                "192.175.48.0",
                "192.175.48.255",
                "192.175.49.0",
            ),
            (
                "198.51.99.255",
                "198.51.100.0",
                "198.51.100.255",
                "198.51.101.0",
            ),
            (
                "203.0.112.255",
                "203.0.113.0",
                "203.0.113.255",
                "203.0.114.0",
            ),
            (
                "192.167.255.255",
                "192.168.0.0",
                "192.168.255.255",
                "192.169.0.0",
            ),
            (
                "198.17.255.255",
                "198.18.0.0",
                "198.19.255.255",
                "198.20.0.0",
            ),
            (
                "168.63.129.15",
                "168.63.129.16",
                "168.63.129.16",
                "168.63.129.17",
            ),
            (
                "2000:ffff:ffff::1",
                "2001::",
                "2001:1ff:ffff::1",
                "2001:200::",
            ),
            (
                "2620:4f:7fff::1",
                "2620:4f:8000::",
                "2620:4f:8000:ffff::1",
                "2620:4f:8001::",
            ),
            (
                "2001:db7:ffff::",
                "2001:db8::",
                "2001:db8:ffff:ffff::1",
                "2001:db9::",
            ),
            ("2001:ffff::", "2002::", "2002:ffff::1", "2003::"),
            ("3ffe:ffff::", "3fff::", "3fff:fff:ffff::1", "3fff:1000::"),
        ] {
            for public in [before, after] {
                assert_eq!(range(public), None, "{public}");
            }
            for special in [first, last] {
                assert!(range(special).is_some(), "{special}");
            }
        }
    }

    #[test]
    fn ranges_at_either_end_of_the_address_space_have_one_public_neighbour() {
        for (special, expected) in [
            ("0.0.0.0", "this network"),
            ("0.255.255.255", "this network"),
            ("224.0.0.0", "multicast"),
            ("239.255.255.255", "multicast"),
            ("240.0.0.0", "reserved"),
            ("255.255.255.254", "reserved"),
            ("255.255.255.255", "broadcast"),
        ] {
            assert_eq!(range(special), Some(expected), "{special}");
        }
        assert_eq!((range("1.0.0.0"), range("223.255.255.255")), (None, None));
    }

    #[test]
    fn metadata_services_are_named_within_their_range() {
        for (address, expected) in [
            ("169.254.169.253", "link-local"),
            ("169.254.169.254", "cloud metadata service"),
            ("169.254.169.255", "link-local"),
            ("168.63.129.16", "cloud metadata service"),
        ] {
            assert_eq!(range(address), Some(expected), "{address}");
        }
    }

    #[test]
    fn ipv6_is_public_only_in_global_unicast_space() {
        for public in ["2000::1", "2606:4700:4700::1111", "2a00:1450::1", "3ffe::1"] {
            assert_eq!(range(public), None, "{public}");
        }
        for special in [
            "::",
            "::1",
            "::2",
            "1::1",
            "1fff:ffff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "100::1",
            "100:0:0:1::1",
            "2620:4f:8000::1",
            "2001:2::1",
            "2001:20::1",
            "fd00:ec2::254",
        ] {
            assert!(range(special).is_some(), "{special}");
        }
    }

    #[test]
    fn mapped_addresses_follow_their_ipv4_address_and_other_embeddings_are_forbidden() {
        assert_eq!(range("::ffff:8.8.8.8"), None);
        assert_eq!(range("::ffff:127.0.0.1"), range("127.0.0.1"));
        for embedded in [
            "::8.8.8.8",
            "::ffff:0:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::8.8.8.8",
            "2002:808:808::1",
            "2001:0:808:808::1",
        ] {
            assert!(range(embedded).is_some(), "{embedded}");
        }
    }
}
