//! The declared tier and the members that must support it. Reports exactly the inconsistencies that the ERC lists; the effective
//! tier follows from the definitions (T-31).

use super::{attestation::verifiability, context::RuleContext};
use crate::{Code, Verifiability, Violation};

pub(super) fn check(context: &mut RuleContext<'_>) {
    let Some(value) = verifiability(context) else {
        return;
    };
    // Other rules report members of the wrong type.
    let Some(claims) = Verifiability::from_value(value) else {
        return;
    };
    let inconsistencies = claims.inconsistencies();
    for code in &inconsistencies {
        context.reject_for_producers(Violation {
            code: *code,
            pointer: value.pointer().member("tier"),
            found: found(*code).to_owned(),
            allowed: "a tier that the other members support".into(),
            fix: format!(
                "use \"{}\", or add the missing members",
                claims.effective_tier()
            )
            .into(),
        });
    }
    if let Some(declared) = claims.declared_tier()
        && declared > claims.effective_tier()
        && inconsistencies.is_empty()
    {
        context.warn(Violation {
            code: Code::TierNotSupported,
            pointer: value.pointer().member("tier"),
            found: format!("\"{declared}\" with an execution that is treated as standard"),
            allowed: "\"self-attested\" unless the execution is a TEE".into(),
            fix: "use tier \"self-attested\", as consumers will treat it, or execution \"tee\" or \"e2ee\"".into(),
        });
    }
}

const fn found(code: Code) -> &'static str {
    match code {
        Code::VerifiableNeedsAttestationAndBuild => {
            "\"verifiable\" without `attestation` and `reproducibleBuild`"
        }
        Code::HardwareAttestedOnStandard => "\"hardware-attested\" with execution \"standard\"",
        Code::HardwareAttestedNeedsAttestation => "\"hardware-attested\" without `attestation`",
        Code::SelfAttestedClaimsIsolation => "\"self-attested\" with an isolated execution",
        _ => "\"self-attested\" with an `attestation`",
    }
}
