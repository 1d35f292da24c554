//! Rust sources: their tests, what the bodies say, and how long the file is without them.

use super::lexer::{Kind, Language, Token, closing, lex};

/// What the checks want to know of a Rust file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RustFile {
    /// Tests that run by default: `#[test]` or `#[…::test]`, not `#[ignore]`.
    pub tests: Vec<RustTest>,
    /// Lines of each `#[cfg(test)]` module with a body.
    pub test_module_lines: Vec<usize>,
}

/// One test function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustTest {
    /// Inline modules around it, outermost first.
    pub modules: Vec<String>,
    /// Its name.
    pub name: String,
    /// Comments and strings of its body.
    pub prose: Vec<String>,
}

/// Attributes in front of the item being read.
#[derive(Default)]
struct Attributes {
    test: bool,
    ignore: bool,
    cfg_test: bool,
}

/// Reads a Rust source. Bodies inside `proptest!` and other macros with braces are read as well.
pub fn read(source: &str) -> RustFile {
    let tokens = lex(Language::Rust, source);
    let code: Vec<_> = tokens
        .iter()
        .filter(|token| token.kind != Kind::Comment)
        .copied()
        .collect();
    let mut file = RustFile::default();
    let mut modules: Vec<(String, usize)> = Vec::new();
    let mut attributes = Attributes::default();
    let mut index = 0;
    while let Some(token) = code.get(index) {
        modules.retain(|(_, close)| *close >= index);
        let next = code.get(index + 1).filter(|next| next.kind == Kind::Word);
        if token.is("#") && code.get(index + 1).is_some_and(|next| next.is("[")) {
            let close = closing(&code, index + 1);
            attributes.add(&code[index + 2..close]);
            index = close;
        } else if let ("mod", Some(name)) = (token.text, next) {
            let attributes = std::mem::take(&mut attributes);
            if code.get(index + 2).is_some_and(|brace| brace.is("{")) {
                let close = closing(&code, index + 2);
                modules.push((name.text.to_owned(), close));
                if attributes.cfg_test {
                    file.test_module_lines
                        .push(code[close].line - token.line + 1);
                }
            }
        } else if let ("fn", Some(name)) = (token.text, next) {
            let attributes = std::mem::take(&mut attributes);
            let Some(open) = body(&code, index) else {
                index += 1;
                continue;
            };
            let close = closing(&code, open);
            if attributes.test && !attributes.ignore {
                file.tests.push(RustTest {
                    modules: modules.iter().map(|(name, _)| name.clone()).collect(),
                    name: name.text.trim_start_matches("r#").to_owned(),
                    prose: prose(&tokens, code[open].at, code[close].at),
                });
            }
            index = close;
        } else if [";", "{", "}"].iter().any(|end| token.is(end)) {
            attributes = Attributes::default();
        }
        index += 1;
    }
    file
}

impl Attributes {
    /// `test` and `tokio::test(…)` make a test; `cfg(test)` does not; `ignore` and `ignore = "…"` take it out.
    fn add(&mut self, inside: &[Token<'_>]) {
        let path: Vec<_> = inside
            .iter()
            .take_while(|token| token.kind == Kind::Word || token.is(":"))
            .collect();
        let Some(last) = path.last() else { return };
        self.test |= last.is("test");
        self.ignore |= last.is("ignore");
        self.cfg_test |= last.is("cfg") && inside.iter().any(|token| token.is("test"));
    }
}

fn prose(tokens: &[Token<'_>], from: usize, to: usize) -> Vec<String> {
    tokens
        .iter()
        .filter(|token| token.is_prose() && (from..to).contains(&token.at))
        .map(|token| token.text.to_owned())
        .collect()
}

/// Index of the brace that opens the body of the function at `keyword`; none for a declaration.
fn body(code: &[Token<'_>], keyword: usize) -> Option<usize> {
    let mut index = keyword + 1;
    while let Some(token) = code.get(index) {
        match token.text {
            _ if token.kind != Kind::Symbol => {}
            "(" | "[" => index = closing(code, index),
            "{" => return Some(index),
            ";" | "}" => return None,
            _ => {}
        }
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r##"
        //! Q-01 at file level
        fn helper<'a>(x: &'a str) -> [u8; 2] { /* Q-02 */ let _ = "#[test] fn no() {}"; [0; 2] }
        trait T { fn declared(&self); }
        #[cfg(test)]
        mod tests {
            mod inner {
                /// Q-03 in the doc comment
                #[test]
                fn plain() { assert!(true, "Q-04 {{"); }
            }
            #[tokio::test(flavor = "current_thread")]
            async fn on_a_runtime() -> Result<(), [u8; 1]> {
                // Q-05
                if true { let _ = r#"Q-06 }"#; }
                Ok(())
            }
            #[test]
            #[ignore = "needs a key"]
            fn live_call() { /* Q-07 */ }
            proptest! {
                #![proptest_config(Config::default())]
                #[test]
                fn holds(x in 0..10_u8, y in "[a-z]{3}") { /* Q-08 */ prop_assert!(x < 10); }
            }
            macro_rules! generated { ($name:ident) => { #[test] fn $name() { "Q-09"; } } }
            #[cfg(test)]
            fn not_a_test() { /* Q-10 */ }
        }
        #[test]
        fn at_the_root() {}
    "##;

    fn found() -> Vec<(String, String)> {
        read(SOURCE)
            .tests
            .into_iter()
            .map(|test| {
                (
                    [test.modules, vec![test.name]].concat().join("::"),
                    test.prose.join(" "),
                )
            })
            .collect()
    }

    #[test]
    fn tests_are_found_under_their_modules_and_ignored_ones_are_not() {
        let names: Vec<_> = found().into_iter().map(|test| test.0).collect();
        assert_eq!(
            names,
            [
                "tests::inner::plain",
                "tests::on_a_runtime",
                "tests::holds",
                "at_the_root"
            ]
        );
    }

    #[test]
    fn prose_is_taken_from_the_body_alone() {
        let prose: Vec<_> = found().into_iter().map(|test| test.1).collect();
        assert_eq!(
            prose,
            [r#""Q-04 {{""#, r##"// Q-05 r#"Q-06 }"#"##, "/* Q-08 */", ""]
        );
    }

    #[test]
    fn lines_of_test_modules_are_counted() {
        assert_eq!(
            read("mod a { }\n#[cfg(test)]\nmod tests {\n\n}\n").test_module_lines,
            [3]
        );
        assert!(
            read("#[cfg(test)]\nmod tests;\nmod b { }")
                .test_module_lines
                .is_empty()
        );
    }
}
