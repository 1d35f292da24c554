//! Turns remedies of failed checks into commands and flags.

use atr_ids::ToolRef;
use atr_verify::Remedy;

/// Label and text of the line that follows the fix. `tool` is none before registration.
pub(super) fn instruction(
    remedy: &Remedy,
    tool: Option<ToolRef>,
) -> Option<(&'static str, String)> {
    Some(match remedy {
        Remedy::UpdateHash => ("then", format!("atr tool update {}", tool?)),
        Remedy::UpdateMetadataUri { metadata_uri } => {
            let uri = metadata_uri.as_deref().unwrap_or("<URL>");
            (
                "then",
                format!("atr tool update {} --manifest-url {uri}", tool?),
            )
        }
        Remedy::TrustCertificate { host } => (
            "allow",
            format!("--allow-host {host} --ca-file FILE, if the host is yours"),
        ),
        Remedy::AllowHost { host } => ("allow", format!("--allow-host {host}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_become_commands() {
        let tool: ToolRef = "eip155:1/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7"
            .parse()
            .unwrap();
        let uri = "https://a.example/.well-known/ai-tool/x.json";
        let moved = Remedy::UpdateMetadataUri {
            metadata_uri: Some(uri.to_owned()),
        };
        let host = "localhost:8443".to_owned();
        let trust = Remedy::TrustCertificate { host: host.clone() };
        for (remedy, expected) in [
            (Remedy::UpdateHash, format!("atr tool update {tool}")),
            (
                moved,
                format!("atr tool update {tool} --manifest-url {uri}"),
            ),
            (
                trust,
                "--allow-host localhost:8443 --ca-file FILE, if the host is yours".to_owned(),
            ),
            (
                Remedy::AllowHost { host },
                "--allow-host localhost:8443".to_owned(),
            ),
        ] {
            assert_eq!(instruction(&remedy, Some(tool)).unwrap().1, expected);
        }
        assert_eq!(instruction(&Remedy::UpdateHash, None), None);
    }
}
