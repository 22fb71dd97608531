//! The hosts that a program may reach.

use std::net::IpAddr;

/// An entry of an allow-list that names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a host; expected a name such as `example.com`, `*.example.com`, or an address, optionally with `:PORT`"
)]
pub struct HostListError(pub String);

/// A list of allowed hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostList {
    entries: Vec<HostEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct HostEntry {
    /// The name in lower case, without the star.
    name: String,
    /// Names below it count, but not the name itself.
    is_wildcard: bool,
    /// The only allowed port; `None` for all.
    port: Option<u16>,
}

impl HostList {
    /// Parses entries: `example.com`, `*.example.com`, `10.0.0.1`, `[::1]:8080`.
    pub fn parse(entries: &[String]) -> Result<Self, HostListError> {
        let entries = entries.iter().map(|entry| HostEntry::parse(entry));
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }

    /// Returns true if a program may connect to this host.
    pub fn allows(&self, host: &str, port: u16) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.entries.iter().any(|entry| entry.matches(&host, port))
    }

    /// Returns true if an address may be used for a host of the list.
    ///
    /// A name could be made to point into this machine or its network. So such
    /// an address must be listed itself.
    pub fn accepts_address(&self, host: &str, address: IpAddr, port: u16) -> bool {
        let is_named = host.parse::<IpAddr>() == Ok(address)
            || host.eq_ignore_ascii_case("localhost") && address.is_loopback();
        is_named || !is_internal(address) || self.allows(&address.to_string(), port)
    }
}

impl HostEntry {
    fn parse(text: &str) -> Result<Self, HostListError> {
        let wrong = || HostListError(text.to_owned());
        let (host, port) = split_port(text).ok_or_else(wrong)?;
        let (name, is_wildcard) = match host.strip_prefix("*.") {
            Some(rest) => (rest, true),
            None => (host, false),
        };
        let is_name = |name: &str| {
            let is_label = |label: &str| {
                !label.is_empty()
                    && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            };
            name.split('.').all(is_label)
        };
        if name.parse::<IpAddr>().is_err() && !is_name(name) {
            return Err(wrong());
        }
        Ok(Self { name: name.to_ascii_lowercase(), is_wildcard, port })
    }

    fn matches(&self, host: &str, port: u16) -> bool {
        if self.port.is_some_and(|only| only != port) {
            return false;
        }
        if !self.is_wildcard {
            return host == self.name;
        }
        host.strip_suffix(&self.name).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    }
}

/// Splits `host:port`, where an IPv6 address with a port is in brackets.
pub(crate) fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        return match rest {
            "" => Some((host, None)),
            _ => Some((host, Some(rest.strip_prefix(':')?.parse().ok()?))),
        };
    }
    if text.parse::<IpAddr>().is_ok() {
        return Some((text, None));
    }
    match text.split_once(':') {
        None => Some((text, None)),
        Some((host, port)) => Some((host, Some(port.parse().ok()?))),
    }
}

fn is_internal(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_multicast()
        }
        IpAddr::V6(v6) => {
            let mapped = v6.to_ipv4_mapped().is_some_and(|v4| is_internal(v4.into()));
            mapped
                || v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
                || v6.is_multicast()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> HostList {
        let entries: Vec<String> = entries.iter().map(|&entry| entry.to_owned()).collect();
        HostList::parse(&entries).unwrap()
    }

    #[test]
    fn a_name_allows_itself_and_a_star_what_is_below() {
        let list = list(&["example.com", "*.crates.io", "10.0.0.1:8080", "[::1]:81"]);
        let check = |host, port, want| assert_eq!(list.allows(host, port), want, "{host}:{port}");
        check("example.com", 443, true);
        check("EXAMPLE.com.", 443, true);
        check("www.example.com", 443, false);
        check("notexample.com", 443, false);
        check("static.crates.io", 443, true);
        check("crates.io", 443, false);
        check("evilcrates.io", 443, false);
        check(".crates.io", 443, false);
        check("10.0.0.1", 8080, true);
        check("10.0.0.1", 80, false);
        check("::1", 81, true);
    }

    #[test]
    fn a_name_must_not_lead_into_this_machine() {
        let list = list(&["example.com", "localhost", "127.0.0.9"]);
        let check = |host, address: &str, want| {
            let address = address.parse().unwrap();
            assert_eq!(list.accepts_address(host, address, 80), want, "{host} {address}");
        };
        check("example.com", "93.184.216.34", true);
        check("example.com", "127.0.0.1", false);
        check("example.com", "169.254.169.254", false);
        check("example.com", "::ffff:10.0.0.1", false);
        check("example.com", "127.0.0.9", true);
        check("localhost", "127.0.0.1", true);
        check("127.0.0.9", "127.0.0.9", true);
    }

    #[test]
    fn what_is_no_host_is_an_error() {
        for wrong in ["", "*", "a b", "http://a.com", "a.com:x", "*.", "a..b"] {
            assert_eq!(
                HostList::parse(&[wrong.to_owned()]),
                Err(HostListError(wrong.to_owned())),
                "{wrong}"
            );
        }
    }
}
