//! Solidity sources: contracts, what they inherit, their functions and what the bodies say.

use super::lexer::{Kind, Language, Token, closing, lex};

/// A contract, interface or library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Its name.
    pub name: String,
    /// Whether it can be deployed: neither abstract nor an interface nor a library.
    pub is_concrete: bool,
    /// Names in its inheritance list, without arguments and qualifiers.
    pub parents: Vec<String>,
    /// Its functions that have a body.
    pub functions: Vec<Function>,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name; the keyword for constructors and the like.
    pub name: String,
    /// Whether it is `public` or `external`.
    pub is_visible: bool,
    /// Line of the keyword.
    pub first_line: usize,
    /// Line of the closing brace.
    pub last_line: usize,
    /// Comments and strings of its body.
    pub prose: Vec<String>,
}

impl Function {
    /// Whether forge runs it: `test…`, `testFuzz…` or `invariant…`, and callable.
    pub fn is_test(&self) -> bool {
        self.is_visible && (self.name.starts_with("test") || self.name.starts_with("invariant"))
    }
}

/// The contracts of a file, in order.
pub fn contracts(source: &str) -> Vec<Contract> {
    let tokens = lex(Language::Solidity, source);
    let code = without_comments(&tokens);
    let mut found = Vec::new();
    let mut index = 0;
    while index + 1 < code.len() {
        let keyword = &code[index];
        let is_contract = keyword.is("contract");
        if !(is_contract || keyword.is("interface") || keyword.is("library")) {
            index += 1;
            continue;
        }
        let Some(open) = code[index..].iter().position(|token| token.is("{")) else {
            break;
        };
        let open = index + open;
        let close = closing(&code, open);
        let is_abstract = index > 0 && code[index - 1].is("abstract");
        found.push(Contract {
            name: code[index + 1].text.to_owned(),
            is_concrete: is_contract && !is_abstract,
            parents: parents(&code[index + 2..open]),
            functions: functions_between(&tokens, &code[open..=close]),
        });
        index = close + 1;
    }
    found
}

/// Every function of a file that has a body, free functions and constructors included.
pub fn functions(source: &str) -> Vec<Function> {
    let tokens = lex(Language::Solidity, source);
    functions_between(&tokens, &without_comments(&tokens))
}

fn without_comments<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    tokens
        .iter()
        .filter(|token| token.kind != Kind::Comment)
        .copied()
        .collect()
}

fn functions_between(tokens: &[Token<'_>], code: &[Token<'_>]) -> Vec<Function> {
    let mut found = Vec::new();
    for (index, keyword) in code.iter().enumerate() {
        let has_name = keyword.is("function") || keyword.is("modifier");
        let is_special = ["constructor", "receive", "fallback"]
            .iter()
            .any(|word| keyword.is(word));
        if !(has_name || is_special) {
            continue;
        }
        let Some(name) = code.get(index + usize::from(has_name)) else {
            continue;
        };
        let Some(open) = body(code, index) else {
            continue;
        };
        let close = &code[closing(code, open)];
        found.push(Function {
            name: name.text.to_owned(),
            is_visible: code[index..open]
                .iter()
                .any(|token| token.is("public") || token.is("external")),
            first_line: keyword.line,
            last_line: close.line,
            prose: tokens
                .iter()
                .filter(|token| token.is_prose())
                .filter(|token| (code[open].at..close.at).contains(&token.at))
                .map(|token| token.text.to_owned())
                .collect(),
        });
    }
    found
}

/// Index of the brace that opens the body of the function whose keyword stands at `keyword`; none if it has no body.
fn body(code: &[Token<'_>], keyword: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in code.iter().enumerate().skip(keyword + 1) {
        match token.text {
            _ if token.kind != Kind::Symbol => {}
            "(" | "[" => depth += 1,
            // A function type among parameters: the list around it ends before any body begins.
            ")" | "]" => depth = depth.checked_sub(1)?,
            "{" if depth == 0 => return Some(index),
            ";" | "}" if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// `is A, lib.B(1, 2)` names A and B; a `layout at` clause names nothing.
fn parents(header: &[Token<'_>]) -> Vec<String> {
    let Some(start) = header.iter().position(|token| token.is("is")) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    let mut index = start + 1;
    let mut last = None;
    while let Some(token) = header.get(index) {
        match token.text {
            "layout" => break,
            "(" => index = closing(header, index),
            "," => names.extend(last.take()),
            "." => {}
            name => last = Some(name.to_owned()),
        }
        index += 1;
    }
    names.extend(last);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
        // Q-01 at file level
        abstract contract Shared is Test {
            /// Q-02 in a doc comment
            function test_FromTheBase(function (uint256) external f) public virtual;
            function test_Shared() public { string memory s = unicode"Q-03 }"; }
        }
        library Lib { function helper() internal pure { /* Q-04 */ } }
        interface IThing { function test_no() external; }
        contract ThingTest layout at 0x10 is Shared, a.Base("is, {", 2) /* is Other */ {
            modifier onlyA(uint256 x) { _; }
            constructor() Base("x") { }
            function test_Body() external onlyA(3) returns (bool) {
                // Q-05
                if (true) { assertTrue(false, 'Q-06 "'); }
                /* Q-07
                 */
            }
            function test_Internal() internal { }
            function invariant_Holds() external view { }
        }
        function free() pure { }
    "#;

    #[test]
    fn contracts_are_found_with_their_kind_and_parents() {
        let found = contracts(SOURCE);
        let shape: Vec<_> = found
            .iter()
            .map(|contract| {
                (
                    contract.name.as_str(),
                    contract.is_concrete,
                    contract.parents.join(" "),
                )
            })
            .collect();
        assert_eq!(
            shape,
            [
                ("Shared", false, "Test".to_owned()),
                ("Lib", false, String::new()),
                ("IThing", false, String::new()),
                ("ThingTest", true, "Shared Base".to_owned()),
            ]
        );
    }

    #[test]
    fn only_visible_functions_with_a_test_name_and_a_body_are_tests() {
        let found = contracts(SOURCE);
        let tests: Vec<_> = found
            .iter()
            .flat_map(|contract| &contract.functions)
            .filter(|function| function.is_test())
            .map(|function| function.name.as_str())
            .collect();
        assert_eq!(tests, ["test_Shared", "test_Body", "invariant_Holds"]);
    }

    #[test]
    fn prose_is_taken_from_the_body_alone() {
        let found = contracts(SOURCE);
        assert_eq!(found[0].functions[0].prose, ["\"Q-03 }\""]);
        let body = found[3]
            .functions
            .iter()
            .find(|function| function.name == "test_Body")
            .unwrap();
        assert_eq!(body.prose.len(), 3);
        assert!(body.prose[0].contains("Q-05") && body.prose[1].contains("Q-06"));
        assert!(body.prose[2].contains("Q-07"));
    }

    #[test]
    fn lines_are_counted_from_the_keyword_to_the_closing_brace() {
        let all = functions(SOURCE);
        let body = all
            .iter()
            .find(|function| function.name == "test_Body")
            .unwrap();
        assert_eq!(body.last_line - body.first_line + 1, 6);
        assert!(all.iter().any(|function| function.name == "free"));
        assert!(all.iter().any(|function| function.name == "constructor"));
        assert!(all.iter().any(|function| function.name == "onlyA"));
    }
}
