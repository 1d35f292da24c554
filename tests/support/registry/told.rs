//! Steps in words: who calls what, not which number was drawn.

use std::fmt;

use super::{Act, Machine, Scenario, Step};

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  on {}:", self.fork)?;
        let mut machine = Machine::new(self.fork);
        for (index, step) in self.steps.iter().enumerate() {
            write!(f, "\n  {:>2}. {}", index + 1, machine.told(step))?;
            // Whether it does what the model says was looked at before.
            let _ = machine.take(step);
        }
        Ok(())
    }
}

impl Machine {
    /// A step, as it would be taken now.
    #[must_use]
    pub fn told(&self, step: &Step) -> String {
        let names = self.world.names();
        let scripted =
            |index: usize| names.of(self.cast.scripted[index % self.cast.scripted.len()]);
        let (from, data) = match &step.act {
            Act::Rescript {
                predicate,
                question,
                script,
            } => {
                let predicate = scripted(*predicate);
                return format!("{predicate} answers {question:?} by {script:?} from now on");
            }
            Act::SetAlive { predicate, alive } => {
                let verb = if *alive { "has" } else { "has no" };
                return format!("{} {verb} code from now on", scripted(*predicate));
            }
            act => self.call(act).expect("every other act is a call"),
        };
        let (who, what, how) = (names.of(from), names.call(&data), step.form.on(&data));
        format!("{who} calls {what}{how}")
    }
}
