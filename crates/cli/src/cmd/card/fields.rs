//! Values of a new card.

use atr_agent_card::{Class, Timestamp, bridge::Draft};
use atr_manifest::to_nfc;

use crate::process::clock;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FieldArgs {
    /// ENS name that the card is bound to
    #[arg(long, value_name = "NAME")]
    pub(crate) ens: Option<String>,

    /// ENS name or identifier that controls the card
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,

    /// Canonical verb; the first is the primary verb [repeatable]
    #[arg(long = "verb", value_name = "VERB")]
    pub(crate) verbs: Vec<String>,

    /// Name for people
    #[arg(long, value_name = "TEXT")]
    pub(crate) display_name: Option<String>,

    /// What the agent does
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,

    /// Semantic version of the card [default: 1.0.0]
    #[arg(long, value_name = "VERSION")]
    card_version: Option<String>,

    /// Lifecycle status [default: active]
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,

    /// Class [default: that of the primary verb]
    #[arg(long, value_name = "CLASS")]
    class: Option<ClassArg>,

    /// CAIP-2 id of a chain that the agent is valid on [repeatable, default: eip155:1]
    #[arg(long = "network", value_name = "CHAIN")]
    networks: Vec<String>,

    /// SPDX license of the card, or the https URL of the license [default: Apache-2.0]
    #[arg(long, value_name = "LICENSE")]
    license: Option<String>,

    /// Canonical URI of the request schema [default: that of the verb's first release]
    #[arg(long, value_name = "URI", requires = "receipt_schema")]
    request_schema: Option<String>,

    /// Canonical URI of the receipt schema [default: that of the verb's first release]
    #[arg(long, value_name = "URI", requires = "request_schema")]
    receipt_schema: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ClassArg {
    Commons,
    Commercial,
}

impl From<ClassArg> for Class {
    fn from(class: ClassArg) -> Self {
        match class {
            ClassArg::Commons => Self::Commons,
            ClassArg::Commercial => Self::Commercial,
        }
    }
}

impl FieldArgs {
    /// The values that were given, the time, and nothing else.
    pub(crate) fn draft(&self) -> Draft {
        let nfc = |text: &Option<String>| text.as_deref().map(|text| to_nfc(text).into_owned());
        Draft {
            ens: self.ens.clone(),
            owner: self.owner.clone(),
            display_name: nfc(&self.display_name),
            description: nfc(&self.description),
            version: self.card_version.clone(),
            status: self.status.clone(),
            class: self.class.map(Class::from),
            implements: self.verbs.clone(),
            schemas: self
                .request_schema
                .clone()
                .zip(self.receipt_schema.clone())
                .map(<[String; 2]>::from),
            networks: self.networks.clone(),
            license: self.license.clone(),
            created_at: Some(Timestamp::from_unix(clock::now()).to_string()),
            ..Draft::default()
        }
    }
}

/// Adds the values that most cards have.
pub(crate) fn with_defaults(mut draft: Draft) -> Draft {
    let default = |value: &mut Option<String>, text: &str| {
        value.get_or_insert_with(|| text.to_owned());
    };
    default(&mut draft.version, "1.0.0");
    default(&mut draft.status, "active");
    default(&mut draft.license, "Apache-2.0");
    if draft.networks.is_empty() {
        draft.networks.push("eip155:1".to_owned());
    }
    draft
}
