//! The declared tier and the members that should support it. Exactly the inconsistencies the ERC lists are flagged; what the
//! tier is worth is computed from the definitions (T-31).

use super::{attestation::verifiability, scope::Scope};
use crate::{Code, Verifiability, Violation};

pub(super) fn check(scope: &mut Scope<'_>) {
    let Some(value) = verifiability(scope) else {
        return;
    };
    // Members of the wrong kind have been told already.
    let Some(claims) = Verifiability::of(value) else {
        return;
    };
    let inconsistencies = claims.inconsistencies();
    for code in &inconsistencies {
        scope.refuse_to_publish(Violation {
            code: *code,
            pointer: value.pointer().member("tier"),
            found: found(*code).to_owned(),
            allowed: "a tier that the other members support".into(),
            fix: format!(
                "write \"{}\", or add what is missing",
                claims.effective_tier()
            )
            .into(),
        });
    }
    if let Some(declared) = claims.declared_tier()
        && declared > claims.effective_tier()
        && inconsistencies.is_empty()
    {
        scope.warn(Violation {
            code: Code::TierNotSupported,
            pointer: value.pointer().member("tier"),
            found: format!("\"{declared}\" on an execution that counts as standard"),
            allowed: "\"self-attested\" without a TEE that others recognise".into(),
            fix: "consumers will treat it as \"self-attested\"; declare that, or execution \"tee\" or \"e2ee\"".into(),
        });
    }
}

const fn found(code: Code) -> &'static str {
    match code {
        Code::VerifiableNeedsAttestationAndBuild => {
            "\"verifiable\" without `attestation` and `reproducibleBuild`"
        }
        Code::HardwareAttestedOnStandard => "\"hardware-attested\" on execution \"standard\"",
        Code::HardwareAttestedNeedsAttestation => "\"hardware-attested\" without `attestation`",
        Code::SelfAttestedClaimsIsolation => "\"self-attested\" with an isolated execution",
        _ => "\"self-attested\" with an `attestation`",
    }
}
