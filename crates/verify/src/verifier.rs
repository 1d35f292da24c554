//! Gathers what the checks need, and no more than it takes.

use std::num::NonZeroUsize;

use alloy_primitives::B256;
use atr_ids::{ToolRef, shown};
use atr_manifest::Manifest;
use atr_registry::{ToolConfig, ToolState};
use futures_util::{Stream, StreamExt, stream};

use crate::{
    Error, Evidence, Failure, Freshness, Manifests, Pin, Status, Tools, Verdict, checks,
    examination::Evaluation,
};

/// Verifies tools of one registry. Remembers nothing: whoever keeps verdicts asks [`crate::VerifiedTool::is_fresh`].
#[derive(Clone, Debug)]
pub struct Verifier<T, M> {
    tools: T,
    manifests: M,
    freshness: Freshness,
}

impl<T: Tools, M: Manifests> Verifier<T, M> {
    /// A verifier, if this build can be one.
    ///
    /// # Errors
    ///
    /// When the tables for NFC are older than Unicode 16: marks assigned later would compose differently (T-11).
    pub fn try_new(tools: T, manifests: M, freshness: Freshness) -> Result<Self, Error> {
        if !atr_manifest::unicode_is_16_or_later() {
            return Err(Error::OldUnicode);
        }
        Ok(Self {
            tools,
            manifests,
            freshness,
        })
    }

    /// Verifies a tool. `now` is in seconds since 1970.
    ///
    /// # Errors
    ///
    /// When the registry cannot be asked, or the tool is another registry's. What the manifest's server does is part of the
    /// verdict.
    pub async fn verify(
        &self,
        tool: ToolRef,
        pin: Option<B256>,
        now: u64,
    ) -> Result<Verdict, Error> {
        self.expect_ours(tool)?;
        let state = self.tools.tool(tool.id()).await?;
        Ok(self.verify_state(tool, state, pin, now).await)
    }

    /// Verifies many tools whose configurations were just read, some at a time. Verdicts come as they are reached, each
    /// with its place in the list.
    ///
    /// # Errors
    ///
    /// When one of the tools is another registry's.
    pub fn verify_many(
        &self,
        tools: Vec<(ToolRef, ToolState)>,
        pin: Option<B256>,
        at_once: NonZeroUsize,
        now: u64,
    ) -> Result<impl Stream<Item = (usize, Verdict)>, Error> {
        for (tool, _) in &tools {
            self.expect_ours(*tool)?;
        }
        let each = tools.into_iter().enumerate();
        let verdicts = each.map(move |(place, (tool, state))| async move {
            (place, self.verify_state(tool, state, pin, now).await)
        });
        Ok(stream::iter(verdicts).buffer_unordered(at_once.get()))
    }

    /// H-18: an id alone names a different tool in every registry.
    fn expect_ours(&self, tool: ToolRef) -> Result<(), Error> {
        let (chain, registry) = self.tools.registry();
        if (tool.chain(), tool.registry()) == (chain, registry) {
            return Ok(());
        }
        Err(Error::OtherRegistry {
            tool,
            chain,
            registry,
        })
    }

    async fn verify_state(
        &self,
        tool: ToolRef,
        state: ToolState,
        pin: Option<B256>,
        now: u64,
    ) -> Verdict {
        let config = match state {
            ToolState::Live(config) => config,
            ToolState::Deregistered => return absent(tool, Status::Deregistered, pin, now),
            ToolState::NeverRegistered => return absent(tool, Status::NeverRegistered, pin, now),
        };
        let uri = match checks::origin::place(&config.metadata_uri) {
            Ok(uri) => uri,
            Err(failure) => {
                let examination = Evaluation::of_place(*failure);
                return self.verdict(tool, &config, examination, false, pin, now);
            }
        };
        let fetched = self.manifests.manifest(&uri).await;
        let mut examination = Evaluation::of(&config, &uri, fetched);
        if !examination.has_other_hash() {
            return self.verdict(tool, &config, examination, false, pin, now);
        }
        // H-16: an update may have landed between the two reads. One look more, never two.
        let config = match self.tools.tool(tool.id()).await {
            Ok(ToolState::Live(again)) if again.metadata_uri == config.metadata_uri => {
                examination.compare_again(&again);
                again
            }
            // T-35: these bytes are not from where the registry now points, so nothing they say counts.
            Ok(ToolState::Live(again)) => {
                examination.set_aside(moved(&config, &again.metadata_uri));
                again
            }
            Ok(ToolState::Deregistered) => return absent(tool, Status::Deregistered, pin, now),
            // A registry never forgets an id: another node has answered, one that is behind.
            Ok(ToolState::NeverRegistered) => {
                examination.set_aside(forgotten(&config));
                config
            }
            Err(error) => {
                tracing::info!(%tool, %error, "the configuration could not be read again; the mismatch stands");
                return self.verdict(tool, &config, examination, false, pin, now);
            }
        };
        self.verdict(tool, &config, examination, true, pin, now)
    }

    fn verdict(
        &self,
        tool: ToolRef,
        config: &ToolConfig,
        examination: Evaluation,
        read_twice: bool,
        pin: Option<B256>,
        now: u64,
    ) -> Verdict {
        let pin = pin.map(|hash| Pin {
            hash,
            holds: hash == config.manifest_hash,
        });
        let evidence = Evidence {
            read_twice,
            ..Evidence::of(config, now)
        };
        let window = |manifest: &Manifest| self.freshness.window(manifest.max_age());
        Verdict::of(tool, examination, pin, evidence, window)
    }
}

fn absent(tool: ToolRef, status: Status, pin: Option<B256>, now: u64) -> Verdict {
    let pin = pin.map(|hash| Pin { hash, holds: false });
    let evidence = Evidence {
        checked_at: now,
        ..Evidence::default()
    };
    Verdict::of_absent(tool, status, pin, evidence)
}

fn moved(before: &ToolConfig, after: &str) -> Failure {
    Failure::new(
        "moved-meanwhile",
        format!("bytes from {}", shown(&before.metadata_uri)),
        format!("bytes from {}, where the registry points now", shown(after)),
        "the creator has moved the manifest while it was being fetched",
        "verify again",
    )
}

fn forgotten(before: &ToolConfig) -> Failure {
    Failure::new(
        "registry-behind",
        format!(
            "a tool at {}, and none a moment later",
            shown(&before.metadata_uri)
        ),
        "the same registry, not older than before",
        "the node is one of several, and another one that is behind has answered",
        "verify again, or through another node",
    )
}
