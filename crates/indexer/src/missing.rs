//! Tools of which the registry says something else than their events.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use atr_store::index::{RegistryKey, ToolKey};

/// What followers have to read again. Verifications find it.
#[derive(Clone, Debug, Default)]
pub(crate) struct MissingEvents(Arc<Mutex<HashMap<ToolKey, Missing>>>);

#[derive(Clone, Copy, Debug)]
struct Missing {
    /// Block of the last event of the tool.
    block: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Found,
    /// The blocks are read again.
    Reading,
    /// They were read again, without the event.
    FoundAgain,
}

impl MissingEvents {
    fn tools(&self) -> MutexGuard<'_, HashMap<ToolKey, Missing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Events of a tool are missing.
    pub(crate) fn report(&self, tool: ToolKey, block: u64) {
        let mut tools = self.tools();
        let missing = tools.entry(tool).or_insert(Missing {
            block,
            state: State::Found,
        });
        if missing.state == State::Reading {
            missing.state = State::FoundAgain;
        }
    }

    /// The events of a tool are complete.
    pub(crate) fn resolve(&self, tool: ToolKey) {
        self.tools().remove(&tool);
    }

    /// Whether a follower has something to do.
    pub(crate) fn is_waiting(&self) -> bool {
        let tools = self.tools();
        tools
            .values()
            .any(|missing| missing.state != State::Reading)
    }

    /// A tool, the block from which to read, and whether that was done before without success.
    pub(crate) fn next(&self, registry: RegistryKey) -> Option<(ToolKey, u64, bool)> {
        let mut tools = self.tools();
        let mut waiting = tools
            .iter()
            .filter(|(tool, missing)| tool.registry == registry && missing.state != State::Reading);
        let (tool, missing) = waiting.next().map(|(tool, missing)| (*tool, *missing))?;
        let is_again = missing.state == State::FoundAgain;
        if is_again {
            tools.remove(&tool);
        } else if let Some(missing) = tools.get_mut(&tool) {
            missing.state = State::Reading;
        }
        Some((tool, missing.block, is_again))
    }
}
