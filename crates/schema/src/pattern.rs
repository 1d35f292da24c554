//! Regular expressions of `pattern` and `patternProperties` (I-13).
//!
//! A pattern is compiled to a nondeterministic finite automaton, which is simulated without backtracking: every visited state
//! costs fuel, and a byte of text visits each state at most once.

use regex_automata::{
    nfa::thompson::{Config, NFA, State, WhichCaptures},
    util::{primitives::StateID, syntax},
};

use crate::{
    budget::{Budget, Exhausted, MAX_COMPILED_PATTERN_BYTES, MAX_PATTERN_BYTES},
    translate::translate,
};

/// Groups inside one another.
const MAX_GROUP_DEPTH: u32 = 64;

/// Steps that compiling one byte of a pattern costs.
const FUEL_PER_BYTE: u64 = 140;

#[derive(Debug)]
pub(crate) struct Pattern(NFA);

impl Pattern {
    /// The error is the reason, without the pattern.
    pub(crate) fn compile(pattern: &str, budget: &mut Budget) -> Result<Self, String> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(format!("it has more than {MAX_PATTERN_BYTES} bytes"));
        }
        let exhausted = |exhausted: Exhausted| format!("compiling the patterns takes {exhausted}");
        let fuel = FUEL_PER_BYTE * pattern.len() as u64;
        budget.charge(fuel).map_err(exhausted)?;
        let translated = translate(pattern)?;
        let limit = MAX_COMPILED_PATTERN_BYTES.min(budget.bytes);
        let compiled = NFA::compiler()
            // Matches are searched at character boundaries only, so empty matches need no check by the library.
            .syntax(
                syntax::Config::new()
                    .utf8(false)
                    .nest_limit(MAX_GROUP_DEPTH),
            )
            .configure(
                Config::new()
                    .utf8(false)
                    .nfa_size_limit(Some(limit))
                    .which_captures(WhichCaptures::None),
            )
            .build(&translated)
            .map_err(|error| match error.size_limit() {
                Some(_) => format!("it has more than {limit} bytes when compiled"),
                None => "it is not a valid regular expression".into(),
            })?;
        let bytes = compiled.memory_usage().min(limit);
        budget.allocate(bytes).map_err(exhausted)?;
        Ok(Self(compiled))
    }

    /// Whether the pattern matches anywhere in the text.
    pub(crate) fn is_match(
        &self,
        text: &str,
        states: &mut States,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        states.reserve(self.0.states().len(), budget)?;
        states.current.clear();
        states.generation += 1;
        for at in 0..=text.len() {
            let can_start = at == 0 || !self.0.is_always_start_anchored();
            if can_start && text.is_char_boundary(at) {
                let start = self.0.start_anchored();
                if self.follow(start, text, at, states, budget)? {
                    return Ok(true);
                }
            }
            let Some(byte) = text.as_bytes().get(at) else {
                break;
            };
            if states.current.is_empty() && self.0.is_always_start_anchored() {
                break;
            }
            budget.charge(1)?;
            states.generation += 1;
            std::mem::swap(&mut states.current, &mut states.previous);
            states.current.clear();
            for index in 0..states.previous.len() {
                let next = match self.0.state(states.previous[index]) {
                    State::ByteRange { trans } => trans.matches_byte(*byte).then_some(trans.next),
                    State::Sparse(sparse) => {
                        budget.charge(sparse.transitions.len() as u64 / 8)?;
                        sparse.matches_byte(*byte)
                    }
                    State::Dense(dense) => dense.matches_byte(*byte),
                    _ => None,
                };
                if let Some(next) = next
                    && self.follow(next, text, at + 1, states, budget)?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Adds `state` and every state that is reached from it without consuming text. True if one of them is a match.
    fn follow(
        &self,
        state: StateID,
        text: &str,
        at: usize,
        states: &mut States,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        states.pending.push(state);
        while let Some(state) = states.pending.pop() {
            let seen = &mut states.seen[state.as_usize()];
            if *seen == states.generation {
                continue;
            }
            *seen = states.generation;
            budget.charge(1)?;
            match self.0.state(state) {
                State::Match { .. } => {
                    states.pending.clear();
                    return Ok(true);
                }
                State::Look { look, next } => {
                    let looks = self.0.look_matcher();
                    if text.is_char_boundary(at) && looks.matches(*look, text.as_bytes(), at) {
                        states.pending.push(*next);
                    }
                }
                State::Union { alternates } => {
                    budget.charge(alternates.len() as u64)?;
                    states.pending.extend(alternates.iter());
                }
                State::BinaryUnion { alt1, alt2 } => states.pending.extend([*alt1, *alt2]),
                State::Capture { next, .. } => states.pending.push(*next),
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) => {
                    states.current.push(state)
                }
                State::Fail => {}
            }
        }
        Ok(false)
    }
}

/// Memory of the simulation, reused by all patterns of a validation.
#[derive(Debug, Default)]
pub(crate) struct States {
    /// States that consume the next byte.
    current: Vec<StateID>,
    previous: Vec<StateID>,
    pending: Vec<StateID>,
    /// For each state, the generation that visited it last. A generation is one position in one text.
    seen: Vec<u64>,
    generation: u64,
}

impl States {
    fn reserve(&mut self, count: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        if let Some(more) = count.checked_sub(self.seen.len()) {
            // `seen`, and each state at most once in `current` and `previous` and twice in `pending`.
            budget.allocate(more * 24)?;
            budget.charge(more as u64 / 8)?;
            self.seen.resize(count, 0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::COMPILE_BUDGET;

    fn compile(pattern: &str) -> Result<Pattern, String> {
        Pattern::compile(pattern, &mut COMPILE_BUDGET.clone())
    }

    fn is_match(pattern: &str, text: &str) -> bool {
        let pattern = compile(pattern).unwrap();
        pattern
            .is_match(text, &mut States::default(), &mut Budget::default())
            .unwrap()
    }

    #[test]
    fn patterns_match_anywhere_unless_anchored() {
        for (pattern, text, expected) in [
            ("b", "abc", true),
            ("^b", "abc", false),
            ("b$", "abc", false),
            ("c$", "abc", true),
            ("^$", "", true),
            ("^$", "\n", false),
            ("", "", true),
            ("a|bc", "xbc", true),
            ("^(?:a|b)+$", "abab", true),
            ("^(?:a|b)+$", "abc", false),
            ("(^|x)a", "bxa", true),
            ("(^|x)a", "ba", false),
            ("é", "caf\u{e9}", true),
            ("^.$", "\u{1f600}", true),
            (r"^\p{L}{2}$", "né", true),
            (r"\B", "aéa", false),
            (r"\bx\b", "é x!", true),
            (r"\Bx", "ax", true),
        ] {
            assert_eq!(is_match(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn states_are_reused_between_patterns() {
        let mut states = States::default();
        let mut budget = Budget::default();
        let (small, large) = (compile("^a+b$").unwrap(), compile("^[a-z]{9}1$").unwrap());
        for _ in 0..3 {
            assert_eq!(small.is_match("aaab", &mut states, &mut budget), Ok(true));
            assert_eq!(
                large.is_match("abcdefghi1", &mut states, &mut budget),
                Ok(true)
            );
            assert_eq!(
                large.is_match("abcdefghij", &mut states, &mut budget),
                Ok(false)
            );
        }
    }

    #[test]
    fn visited_states_cost_fuel() {
        // I-13
        let fuel = |pattern: &str, text: &str| {
            let mut budget = Budget::default();
            let pattern = compile(pattern).unwrap();
            let _ = pattern.is_match(text, &mut States::default(), &mut budget);
            Budget::default().fuel - budget.fuel
        };
        let text = "a".repeat(1_000) + "b";
        assert!(
            fuel("^b", &text) < 10,
            "an anchored pattern stops at the first difference"
        );
        let linear = fuel("(a+)+$", &text);
        assert!((2_000..20_000).contains(&linear), "{linear}");
        assert!((2 * linear - 50..2 * linear + 50).contains(&fuel("(a+)+$", &(text.repeat(2)))));
        assert_eq!(
            fuel("[ab]*a[ab]{3000}c", &"ab".repeat(5_000)),
            Budget::default().fuel
        );
    }

    #[test]
    fn patterns_are_limited_in_length_size_and_number() {
        // I-13
        assert!(compile(&"a".repeat(MAX_PATTERN_BYTES)).is_ok());
        let reason = compile(&"a".repeat(MAX_PATTERN_BYTES + 1)).unwrap_err();
        assert!(reason.contains("2048 bytes"), "{reason}");
        for pattern in [
            "((a{100}){100}){100}",
            "((a{400}){400})",
            "a{1000000}",
            r"\p{L}{5000}",
        ] {
            let reason = compile(pattern).unwrap_err();
            assert!(reason.contains("compiled"), "{pattern}: {reason}");
        }
        for pattern in [r"^\p{L}{1,64}$", "^0x[0-9a-f]{64}$", "^.{1,1024}$"] {
            assert!(compile(pattern).is_ok(), "{pattern}");
        }
        let mut budget = COMPILE_BUDGET;
        let results: Vec<_> = (0..6)
            .map(|_| Pattern::compile(&"a".repeat(2_048), &mut budget).is_ok())
            .collect();
        assert_eq!(results, [true, true, true, true, false, false]);
        let mut budget = COMPILE_BUDGET;
        let large = (0..100)
            .take_while(|_| Pattern::compile(r"\p{L}{64}", &mut budget).is_ok())
            .count();
        assert!((2..20).contains(&large), "{large}");
    }

    #[test]
    fn nested_groups_are_limited() {
        // I-13
        let nested = |levels: usize| "(".repeat(levels) + &")".repeat(levels);
        assert!(compile(&nested(60)).is_ok());
        assert!(compile(&nested(2_000)).is_err());
    }
}
