//! Expressions over predicates, such as `(A or B) and not C`, and their conversion to clauses.

use alloy_primitives::Address;

use super::{
    Configuration, Term,
    formula::{Formula, Literal},
    parser::{self, SyntaxError},
};

/// Maximum number of terms of a composition.
pub const MAX_TERMS: usize = 8;

/// Maximum length of an expression in bytes.
const MAX_BYTES: usize = 1024;

/// A formula of predicates with `and`, `or`, `not`, `any(…)`, `all(…)` and parentheses. Negations are pushed to the terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression(Formula<Address>);

/// An invalid expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named after their content")]
pub enum ExpressionError {
    /// The text exceeds the size limit.
    #[error("the expression is longer than {max} bytes")]
    TooLong { max: usize },
    /// The text is not an expression.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
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
            return Err(ExpressionError::TooLong { max: MAX_BYTES });
        }
        let formula = parser::parse(text, "a predicate", |cursor, _| {
            let predicate = cursor.parse("the name of a predicate or an address", |cursor| {
                resolve(cursor.take_word())
            });
            Ok::<_, ExpressionError>(predicate?)
        });
        formula.map(Self)
    }

    /// The composition with the fewest terms that is equivalent in three-valued logic: clauses combined with ALL or with ANY.
    ///
    /// # Errors
    ///
    /// When it has more than [`MAX_TERMS`] terms.
    pub fn to_configuration(&self) -> Result<Configuration, ExpressionError> {
        let smallest = self.0.to_clauses()?;
        let term = |literal: Literal<Address>| Term {
            predicate: literal.leaf,
            negate: literal.negate,
        };
        let clauses = smallest.clauses.into_iter();
        Ok(Configuration {
            logic: smallest.logic,
            clauses: clauses
                .map(|clause| clause.into_iter().map(term).collect())
                .collect(),
            term_gas: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Logic;

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
            ("any(a, b) AND not(c)", "(a or b) and not c"),
            ("not any(a,all(b , c))", "not a and (not b or not c)"),
            ("all( a or b, c )", "(a or b) and c"),
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
            ("", "at character 1: expected a predicate, found the end"),
            (
                "a and",
                "at character 6: expected a predicate, found the end",
            ),
            (
                "(a",
                "at character 3: expected `)`, `and` or `or`, found the end",
            ),
            (
                "a b",
                "at character 3: expected `and`, `or` or the end, found `b`",
            ),
            (
                "(a b)",
                "at character 4: expected `)`, `and` or `or`, found `b`",
            ),
            ("or a", "at character 1: expected a predicate, found `or`"),
            (
                "a)",
                "at character 2: expected `and`, `or` or the end, found `)`",
            ),
            (
                "a, b",
                "at character 2: expected `and`, `or` or the end, found `,`",
            ),
            (
                "(a, b)",
                "at character 3: expected `)`, `and` or `or`, found `,`",
            ),
            (
                "any(a b)",
                "at character 7: expected `,`, `)`, `and` or `or`, found `b`",
            ),
            ("any()", "at character 5: expected a predicate, found `)`"),
            ("any a", "at character 5: expected `(`, found `a`"),
            ("all(a,)", "at character 7: expected a predicate, found `)`"),
            (
                "a and ü\u{202e}",
                "at character 7: expected the name of a predicate or an address, found `ü\\u{202e}`",
            ),
            (
                "(a or b) and (c or d) and (e or f) and (g or h) and not (a and c)",
                "the expression needs 10 terms in clauses; the maximum is 8",
            ),
        ] {
            let error = convert(text).unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
        let long = "a or ".repeat(300);
        assert_eq!(convert(&long), Err(ExpressionError::TooLong { max: 1024 }));
        let deep = format!("{}a{}", "(".repeat(33), ")".repeat(33));
        let error = convert(&deep).unwrap_err();
        assert_eq!(
            error.to_string(),
            "at character 34: expected at most 32 levels of parentheses, found `a`"
        );
        assert_eq!(convert(&deep[1..66]).as_deref(), Ok("a"));
    }

    fn formula() -> impl Strategy<Value = Formula<Address>> {
        let leaf = (b'a'..=b'd').prop_map(Address::repeat_byte);
        Formula::any_of(leaf)
    }

    proptest! {
        #[test]
        fn clauses_have_the_value_of_the_expression_in_three_valued_logic(
            formula in formula(), values in prop::array::uniform4(any::<Option<bool>>()),
        ) {
            let value = |predicate: Address| values[usize::from(predicate[0] - b'a')];
            if let Ok(configuration) = Expression(formula.clone()).to_configuration() {
                let expected = formula.evaluate(&|predicate| value(*predicate));
                prop_assert_eq!(configuration.evaluate(value), expected);
                prop_assert!(configuration.terms().count() <= MAX_TERMS);
                let text = configuration.expression(name);
                let parsed = Expression::parse(&text, resolve).unwrap().to_configuration();
                prop_assert_eq!(parsed, Ok(configuration));
            }
        }

        #[test]
        fn parsing_any_text_never_panics(text in "[ab(),é ]{0,20}(not|and|or|any|all|\\(|\\)|,| |a|:){0,12}") {
            let _ = convert(&text);
        }
    }
}
