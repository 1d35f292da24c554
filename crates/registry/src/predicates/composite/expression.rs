//! Expressions over predicates, such as `(A or B) and not C`, and their conversion to clauses.

use alloy_primitives::Address;

use super::{Configuration, Term};
use crate::Logic;

/// Maximum number of terms of a composition.
pub const MAX_TERMS: usize = 8;

/// Maximum length of an expression in bytes. It also bounds the depth of the parser.
const MAX_BYTES: usize = 1024;

/// Maximum number of clauses while converting. Absorption can reduce it later.
const MAX_CLAUSES: usize = 64;

/// A formula of predicates with `and`, `or`, `not` and parentheses. Negations are pushed to the terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression(Node);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Term(Term),
    Group(Logic, Vec<Self>),
}

/// An invalid expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named after their content")]
pub enum ExpressionError {
    /// The text exceeds the size limit.
    #[error("the expression is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// A predicate or a closing parenthesis is missing.
    #[error("the expression ends where {expected} is expected")]
    UnexpectedEnd { expected: &'static str },
    /// The text is not an expression.
    #[error("found `{found}` where {expected} is expected")]
    Unexpected {
        found: String,
        expected: &'static str,
    },
    /// The name is neither a known predicate nor an address.
    #[error("`{name}` is neither the name of a predicate nor an address")]
    UnknownName { name: String },
    /// The smallest form has too many terms.
    #[error("the expression needs {count} terms in clauses; the maximum is {MAX_TERMS}")]
    TooManyTerms { count: usize },
    /// The conversion exceeds its limit.
    #[error("the expression is too large to be written in clauses of {MAX_TERMS} terms")]
    TooLarge,
}

impl Expression {
    /// Parses an expression. `not` binds tighter than `and`, and `and` tighter than `or`. Keywords can be in upper case.
    /// `resolve` returns the predicate with a name.
    ///
    /// # Errors
    ///
    /// When the text is not an expression or a name cannot be resolved.
    pub fn parse(
        text: &str,
        resolve: impl Fn(&str) -> Option<Address>,
    ) -> Result<Self, ExpressionError> {
        if text.len() > MAX_BYTES {
            return Err(ExpressionError::TooLong);
        }
        let mut parser = Parser {
            tokens: tokens(text),
            next: 0,
            resolve,
        };
        let node = parser.any(false)?;
        match parser.peek() {
            None => Ok(Self(node)),
            Some(token) => Err(unexpected(token, "`and`, `or` or the end")),
        }
    }

    /// The composition with the fewest terms that is equivalent in three-valued logic: clauses combined with ALL or with ANY.
    ///
    /// # Errors
    ///
    /// When it has more than [`MAX_TERMS`] terms.
    pub fn to_configuration(&self) -> Result<Configuration, ExpressionError> {
        let forms = [Logic::All, Logic::Any].into_iter().filter_map(|logic| {
            let clauses = self.0.clauses(logic)?;
            Some(Configuration {
                logic,
                clauses,
                term_gas: Vec::new(),
            })
        });
        let smallest = forms.min_by_key(|form| (form.terms().count(), !form.is_flat()));
        let smallest = smallest.ok_or(ExpressionError::TooLarge)?;
        match smallest.terms().count() {
            count if count > MAX_TERMS => Err(ExpressionError::TooManyTerms { count }),
            _ => Ok(smallest),
        }
    }
}

impl Node {
    /// Clauses that combine with `logic`; the terms of a clause combine with the other logic. `None` above [`MAX_CLAUSES`].
    fn clauses(&self, logic: Logic) -> Option<Vec<Vec<Term>>> {
        let (group, nodes) = match self {
            Self::Term(term) => return Some(vec![vec![*term]]),
            Self::Group(group, nodes) => (*group, nodes),
        };
        let parts = nodes.iter().map(|node| node.clauses(logic));
        let mut parts = parts.collect::<Option<Vec<_>>>()?.into_iter();
        if group == logic {
            return absorb(parts.flatten().collect());
        }
        // Distributive law: one clause per choice of a clause of each part.
        let first = parts.next()?;
        parts.try_fold(first, |clauses, part| {
            let pairs = clauses
                .iter()
                .flat_map(|left| part.iter().map(move |right| union(left, right)));
            absorb(pairs.collect())
        })
    }
}

fn union(left: &[Term], right: &[Term]) -> Vec<Term> {
    let mut clause = left.to_vec();
    clause.extend(right.iter().filter(|term| !left.contains(term)));
    clause
}

/// Removes clauses that contain all terms of another clause: `A or (A and B)` is `A`, also in three-valued logic.
fn absorb(clauses: Vec<Vec<Term>>) -> Option<Vec<Vec<Term>>> {
    let mut kept: Vec<Vec<Term>> = Vec::new();
    for clause in clauses {
        let contains = |all: &[Term], some: &[Term]| some.iter().all(|term| all.contains(term));
        if kept.iter().any(|other| contains(&clause, other)) {
            continue;
        }
        kept.retain(|other| !contains(other, &clause));
        kept.push(clause);
        if kept.len() > MAX_CLAUSES {
            return None;
        }
    }
    Some(kept)
}

fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['(', ')']) {
            tokens.extend([&rest[..at], &rest[at..=at]]);
            rest = &rest[at + 1..];
        }
        tokens.push(rest);
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

struct Parser<'a, R> {
    tokens: Vec<&'a str>,
    next: usize,
    resolve: R,
}

impl<'a, R: Fn(&str) -> Option<Address>> Parser<'a, R> {
    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.next).copied()
    }

    fn accept(&mut self, keyword: &str) -> bool {
        let found = self
            .peek()
            .is_some_and(|token| token.eq_ignore_ascii_case(keyword));
        self.next += usize::from(found);
        found
    }

    /// A list separated by `or`. If negated, its parts are negated and combined with ALL (De Morgan).
    fn any(&mut self, negate: bool) -> Result<Node, ExpressionError> {
        let mut nodes = vec![self.all(negate)?];
        while self.accept("or") {
            nodes.push(self.all(negate)?);
        }
        Ok(group(Logic::Any, negate, nodes))
    }

    /// A list separated by `and`.
    fn all(&mut self, negate: bool) -> Result<Node, ExpressionError> {
        let mut nodes = vec![self.operand(negate)?];
        while self.accept("and") {
            nodes.push(self.operand(negate)?);
        }
        Ok(group(Logic::All, negate, nodes))
    }

    fn operand(&mut self, mut negate: bool) -> Result<Node, ExpressionError> {
        const EXPECTED: &str = "a predicate";
        while self.accept("not") {
            negate = !negate;
        }
        if self.accept("(") {
            let node = self.any(negate)?;
            return match self.peek() {
                _ if self.accept(")") => Ok(node),
                Some(token) => Err(unexpected(token, "`)`, `and` or `or`")),
                None => Err(ExpressionError::UnexpectedEnd { expected: "`)`" }),
            };
        }
        let token = self
            .peek()
            .ok_or(ExpressionError::UnexpectedEnd { expected: EXPECTED })?;
        if ["and", "or", ")"].contains(&token.to_lowercase().as_str()) {
            return Err(unexpected(token, EXPECTED));
        }
        self.next += 1;
        let predicate = (self.resolve)(token).ok_or_else(|| ExpressionError::UnknownName {
            name: atr_ids::excerpt(token),
        })?;
        Ok(Node::Term(Term { predicate, negate }))
    }
}

fn group(logic: Logic, negate: bool, mut nodes: Vec<Node>) -> Node {
    if nodes.len() == 1 {
        return nodes.swap_remove(0);
    }
    Node::Group(if negate { logic.other() } else { logic }, nodes)
}

fn unexpected(token: &str, expected: &'static str) -> ExpressionError {
    ExpressionError::Unexpected {
        found: atr_ids::excerpt(token),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Predicates `a` to `h`.
    fn resolve(name: &str) -> Option<Address> {
        match name.as_bytes() {
            [byte @ b'a'..=b'h'] => Some(Address::repeat_byte(*byte)),
            _ => None,
        }
    }

    fn name(predicate: Address) -> String {
        char::from(predicate[0]).to_string()
    }

    fn convert(text: &str) -> Result<String, ExpressionError> {
        let configuration = Expression::parse(text, resolve)?.to_configuration()?;
        Ok(configuration.expression(name))
    }

    #[test]
    fn an_expression_becomes_the_smallest_list_of_clauses() {
        for (text, clauses) in [
            ("a", "a"),
            ("NOT a", "not a"),
            ("not (not a)", "a"),
            ("(a or b) and not c", "(a or b) and not c"),
            ("a or b and c", "a or (b and c)"),
            ("a and b or c and d", "(a and b) or (c and d)"),
            ("a and (b and (c and d))", "a and b and c and d"),
            ("not (a or b)", "not a and not b"),
            ("not (a and (b or c))", "not a or (not b and not c)"),
            ("a or (a and b)", "a"),
            ("a and a", "a"),
            ("((a))", "a"),
            ("a or (b and (c or d))", "(a or b) and (a or c or d)"),
        ] {
            assert_eq!(convert(text).as_deref(), Ok(clauses), "{text}");
        }
        // A flat list stays flat, so that it works with the reference deployment.
        let flat = Expression::parse("a or b", resolve).unwrap();
        let flat = flat.to_configuration().unwrap();
        assert_eq!((flat.logic, flat.clauses.len()), (Logic::Any, 2));
    }

    #[test]
    fn rejects_text_that_is_not_an_expression() {
        for (text, message) in [
            ("", "the expression ends where a predicate is expected"),
            ("a and", "the expression ends where a predicate is expected"),
            ("(a", "the expression ends where `)` is expected"),
            ("a b", "found `b` where `and`, `or` or the end is expected"),
            ("(a b)", "found `b` where `)`, `and` or `or` is expected"),
            ("or a", "found `or` where a predicate is expected"),
            ("a)", "found `)` where `and`, `or` or the end is expected"),
            (
                "a and x",
                "`x` is neither the name of a predicate nor an address",
            ),
            (
                "(a or b) and (c or d) and (e or f) and (g or h) and not (a and c)",
                "the expression needs 10 terms in clauses; the maximum is 8",
            ),
        ] {
            let error = convert(text).unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
        let long = "(".repeat(2_000);
        assert_eq!(convert(&long), Err(ExpressionError::TooLong));
    }

    /// Kleene logic: `None` is unknown.
    type Value = Option<bool>;

    fn combine(logic: Logic, values: impl Iterator<Item = Value>) -> Value {
        let decisive = logic == Logic::Any;
        let values: Vec<_> = values.collect();
        if values.contains(&Some(decisive)) {
            return Some(decisive);
        }
        (!values.contains(&None)).then_some(!decisive)
    }

    fn evaluate(node: &Node, values: &impl Fn(&Term) -> Value) -> Value {
        match node {
            Node::Term(term) => values(term),
            Node::Group(logic, nodes) => {
                combine(*logic, nodes.iter().map(|node| evaluate(node, values)))
            }
        }
    }

    fn node() -> impl Strategy<Value = Node> {
        let term = (b'a'..=b'd', any::<bool>()).prop_map(|(byte, negate)| {
            Node::Term(Term {
                predicate: Address::repeat_byte(byte),
                negate,
            })
        });
        term.prop_recursive(4, 24, 3, |inner| {
            let logic = any::<bool>().prop_map(|all| if all { Logic::All } else { Logic::Any });
            (logic, prop::collection::vec(inner, 2..4))
                .prop_map(|(logic, nodes)| Node::Group(logic, nodes))
        })
    }

    proptest! {
        #[test]
        fn clauses_have_the_value_of_the_expression_in_three_valued_logic(
            node in node(), values in prop::array::uniform4(any::<Value>()),
        ) {
            let value = |term: &Term| {
                let value = values[usize::from(term.predicate[0] - b'a')];
                value.map(|granted| granted != term.negate)
            };
            if let Ok(configuration) = Expression(node.clone()).to_configuration() {
                let logic = configuration.logic;
                let clauses = configuration.clauses.iter();
                let clauses = clauses.map(|clause| combine(logic.other(), clause.iter().map(value)));
                prop_assert_eq!(combine(logic, clauses), evaluate(&node, &value));
                prop_assert!(configuration.terms().count() <= MAX_TERMS);
                let text = configuration.expression(name);
                let parsed = Expression::parse(&text, resolve).unwrap().to_configuration();
                prop_assert_eq!(parsed, Ok(configuration));
            }
        }
    }
}
