//! Prints scenarios as calls with names and decoded arguments.

use std::fmt;

use super::{Action, Machine, Scenario, Step};

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  on {}:", self.fork)?;
        let mut machine = Machine::new(self.fork);
        for (index, step) in self.steps.iter().enumerate() {
            write!(f, "\n  {:>2}. {}", index + 1, machine.describe(step))?;
            // A mismatch is reported elsewhere.
            let _ = machine.take(step);
        }
        Ok(())
    }
}

impl Machine {
    /// Describes a step in the present state.
    #[must_use]
    pub fn describe(&self, step: &Step) -> String {
        let names = self.world.names();
        let scripted =
            |index: usize| names.of(self.actors.scripted[index % self.actors.scripted.len()]);
        let (from, data) = match &step.action {
            Action::SetScript {
                predicate,
                call,
                script,
            } => {
                let predicate = scripted(*predicate);
                return format!("{predicate}: script of {call:?} is {script:?}");
            }
            Action::SetCode {
                predicate,
                has_code,
            } => {
                let code = if *has_code {
                    "code set"
                } else {
                    "code removed"
                };
                return format!("{}: {code}", scripted(*predicate));
            }
            action => self.call(action).expect("every other action is a call"),
        };
        let (sender, call) = (names.of(from), names.call(&data));
        format!("{sender} calls {call}{}", step.variation.resolve(&data))
    }
}
