"""Mutation operators. Each mutant is one small edit of one node of solc's syntax tree.

Solidity and Yul nodes have byte ranges, so an edit is `(operator, start, end, text)`: the bytes from start to end of the source
are replaced by text. Only functions and constants are mutated.
"""

import dataclasses
import re

SWAPS = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "**": ["*"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"],
}
ASSIGNMENTS = {"+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="], "|=": ["="], "&=": ["="], "^=": ["="]}
BUILTINS = {
    "add": ["sub"], "sub": ["add"], "mul": ["div"], "div": ["mul"], "and": ["or"], "or": ["and"], "xor": ["or"],
    "shl": ["shr"], "shr": ["shl"], "lt": ["gt"], "gt": ["lt"], "slt": ["lt"], "sload": ["tload"], "sstore": ["tstore"],
    "mstore": ["mstore8"], "calldatacopy": ["codecopy"], "extcodecopy": ["codecopy"], "returndatasize": ["calldatasize"],
    "create": ["create2"],
}
# Arguments are not swapped: the operation is commutative, or the swap equals an entry of BUILTINS.
SYMMETRIC = {"add", "mul", "and", "or", "xor", "eq", "lt", "gt", "slt"}
DEFAULTS = {"bool": ["true", "false"], "address": ["address(0)"], "string memory": ['""'], "bytes memory": ['""']}


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One edit of one file. The key has no line numbers, so that it stays valid after other edits."""

    file: str
    where: str
    operator: str
    was: str
    now: str
    nth: int
    start: int
    end: int
    text: str

    @property
    def key(self):
        return (self.file, self.where, self.operator, self.was, self.now, self.nth)

    def apply(self, source):
        return source[: self.start] + self.text.encode() + source[self.end :]

    def __str__(self):
        again = f" (occurrence {self.nth + 1})" if self.nth else ""
        return f"{self.file} {self.where}: {self.operator}{again}\n    - {self.was}\n    + {self.now or '(nothing)'}"


def mutants(file, source, ast, errors):
    """All mutants of a file, in source order. `errors` are the error definitions that a mutated revert can use."""
    found, edits, counts = [], set(), {}
    changes = sorted(_Walk(source, ast, errors).edits(), key=lambda edit: edit[2:] + edit[:2])
    for where, operator, start, end, text in changes:
        if (start, end, text) in edits or source[start:end] == text.encode():
            continue
        edits.add((start, end, text))
        was, now = _lines_around(source, start, end, text)
        key = (where, operator, was, now)
        counts[key] = counts.get(key, -1) + 1
        found.append(Mutant(file, where, operator, was, now, counts[key], start, end, text))
    return found


def errors_in(asts):
    return [node for ast in asts for node in _nodes(ast) if node["nodeType"] == "ErrorDefinition"]


def _lines_around(source, start, end, text):
    first = source.rfind(b"\n", 0, start) + 1
    last = source.find(b"\n", end)
    was = source[first:last]
    now = source[first:start] + text.encode() + source[end:last]
    return tuple(" ".join(lines.decode().split()) for lines in (was, now))


class _Walk:
    def __init__(self, source, ast, errors):
        self.source = source
        self.ast = ast
        self.errors = errors

    def edits(self):
        for contract in self.ast["nodes"]:
            if contract["nodeType"] != "ContractDefinition":
                continue
            for member in contract["nodes"]:
                if member["nodeType"] == "FunctionDefinition" and member.get("body"):
                    body, where = member["body"], member["name"] or member["kind"]
                elif member["nodeType"] == "VariableDeclaration" and member.get("value"):
                    body, where = member["value"], member["name"]
                else:
                    continue
                returns = [parameter["typeDescriptions"]["typeString"] for parameter in _returns(member)]
                for node in _nodes(body):
                    visit = getattr(self, f"_{node['nodeType']}", None)
                    for edit in visit(node, returns) if visit else ():
                        yield (where, *edit)

    # Helpers

    def _text(self, node):
        start, end = _range(node)
        return self.source[start:end].decode()

    def _replace(self, operator, node, text):
        return (operator, *_range(node), text)

    def _between(self, operator, left, right, old, new):
        """Replaces the operator `old` between two nodes."""
        start, end = _range(left)[1], _range(right)[0]
        gap = re.sub(rb"//[^\n]*", lambda comment: b" " * len(comment[0]), self.source[start:end])
        at = start + gap.rindex(old.encode()) if old in "+-*/%&|^<>=!" else start + gap.index(old.encode())
        return (operator, at, at + len(old), new)

    def _statement(self, node):
        """The range of a statement including its semicolon, which some nodes exclude."""
        start, end = _range(node)
        if self.source[end : end + 1] == b";":
            end += 1
        return start, end

    def _swapped(self, arguments, type_of):
        for left, right in zip(arguments, arguments[1:]):
            if type_of(left) == type_of(right) and self._text(left) != self._text(right):
                between = self.source[_range(left)[1] : _range(right)[0]].decode()
                yield ("arguments", _range(left)[0], _range(right)[1], self._text(right) + between + self._text(left))

    def _numbers(self, node, text, *others):
        value = int(text.replace("_", ""), 0)
        for number in (value + 1, value - 1, *(other(value) for other in others)):
            if number >= 0:
                yield self._replace("literal", node, _like(text, number))

    # Solidity

    def _BinaryOperation(self, node, _):
        left, right, sign = node["leftExpression"], node["rightExpression"], node["operator"]
        for other in SWAPS.get(sign, ()):
            yield self._between("operator", left, right, sign, other)
        if sign in ("&&", "||"):
            yield self._replace("operand", node, self._text(left))
            yield self._replace("operand", node, self._text(right))

    def _UnaryOperation(self, node, _):
        inner, sign = node["subExpression"], node["operator"]
        if sign in ("!", "~"):
            yield self._replace("operator", node, self._text(inner))
        elif sign in ("++", "--") and not node["prefix"]:
            yield self._replace("operator", node, self._text(inner) + ("--" if sign == "++" else "++"))

    def _Assignment(self, node, _):
        for other in ASSIGNMENTS.get(node["operator"], ()):
            yield self._between("assignment", node["leftHandSide"], node["rightHandSide"], node["operator"], other)

    def _Conditional(self, node, _):
        yield self._replace("condition", node, self._text(node["trueExpression"]))
        yield self._replace("condition", node, self._text(node["falseExpression"]))

    def _IfStatement(self, node, _):
        yield self._replace("condition", node["condition"], "true")
        yield self._replace("condition", node["condition"], "false")

    def _ForStatement(self, node, _):
        yield self._replace("condition", node["condition"], "false")

    _WhileStatement = _ForStatement

    def _DoWhileStatement(self, node, _):
        yield self._replace("condition", node["condition"], "false")

    def _ExpressionStatement(self, node, _):
        start, end = self._statement(node)
        # The update expression of a for loop has no semicolon.
        yield ("removal", start, end, "{ }" if self.source[end - 1 : end] == b";" else "")

    def _EmitStatement(self, node, _):
        yield ("removal", *self._statement(node), "{ }")

    _Break = _Continue = _EmitStatement

    def _RevertStatement(self, node, _):
        yield ("removal", *self._statement(node), "{ }")
        call = node["errorCall"]
        types = [argument["typeDescriptions"]["typeString"] for argument in call["arguments"]]
        name = self._text(call["expression"])
        for error in self.errors:
            fields = [field["typeDescriptions"]["typeString"] for field in error["parameters"]["parameters"]]
            if len(fields) == len(types) and error["name"] != name.split(".")[-1]:
                yield self._replace("error", call["expression"], error["name"])

    def _Return(self, node, returns):
        value = node.get("expression")
        if value is None:
            yield ("removal", *self._statement(node), "{ }")
        elif len(returns) == 1:
            kind = returns[0]
            zero = ["0"] if re.fullmatch(r"uint\d+|bytes\d+", kind) else []
            for text in DEFAULTS.get(kind, zero):
                yield self._replace("return", value, text)

    def _UncheckedBlock(self, node, _):
        start, end = _range(node)
        yield ("unchecked", start, start + len("unchecked"), "")

    def _FunctionCall(self, node, _):
        if node["kind"] == "functionCall" and not node.get("names"):
            yield from self._swapped(node["arguments"], lambda argument: argument["typeDescriptions"]["typeString"])

    def _MemberAccess(self, node, _):
        text = self._text(node)
        if text == "msg.sender":
            yield self._replace("sender", node, "tx.origin")
        elif text.startswith("type(") and text.endswith(".interfaceId"):
            yield self._replace("literal", node, "bytes4(0)")
        elif node["memberName"] in ("min", "max") and text.startswith("type("):
            yield self._replace("literal", node, f"({text} {'-' if node['memberName'] == 'max' else '+'} 1)")

    def _Literal(self, node, _):
        text, kind = self._text(node), node["kind"]
        if kind == "bool":
            yield self._replace("literal", node, "false" if text == "true" else "true")
        elif kind == "string" and len(text) > 2:
            yield self._replace("literal", node, f'"{text[1:-1][:-1]}{"x" if text[-2] != "x" else "y"}"')
            yield self._replace("literal", node, '""')
        elif kind == "number" and not node.get("subdenomination") and "." not in text and "e" not in text.split("x")[0]:
            yield from self._numbers(node, text, lambda _: 0)

    # Yul

    def _YulFunctionCall(self, node, _):
        name, arguments = node["functionName"]["name"], node["arguments"]
        for other in BUILTINS.get(name, ()):
            yield self._replace("builtin", node["functionName"], other)
        if name in ("lt", "gt", "slt"):
            opposite = {"lt": "gt", "gt": "lt", "slt": "sgt"}[name]
            yield self._replace("builtin", node, f"iszero({opposite}{self._text(node)[len(name):]})")
        elif name == "eq":
            yield self._replace("builtin", node, f"iszero({self._text(node)})")
        elif name in ("iszero", "not"):
            yield self._replace("builtin", node, self._text(arguments[0]))
        elif name in ("and", "or"):
            for argument in arguments:
                yield self._replace("operand", node, self._text(argument))
        if name not in SYMMETRIC:
            yield from self._swapped(arguments, lambda argument: "word")

    def _YulLiteral(self, node, _):
        text = self._text(node)
        if node["kind"] == "number" and text.startswith("0x") and int(text, 0) % 32 == 0:
            yield from self._numbers(node, text, lambda value: value + 32, lambda value: value - 32)
        elif node["kind"] == "number":
            yield from self._numbers(node, text)

    def _YulIf(self, node, _):
        yield self._replace("condition", node["condition"], "1")
        yield self._replace("condition", node["condition"], "0")

    def _YulForLoop(self, node, _):
        yield self._replace("condition", node["condition"], "0")

    def _YulExpressionStatement(self, node, _):
        yield self._replace("removal", node, "")

    _YulAssignment = _YulExpressionStatement

    def _YulVariableDeclaration(self, node, _):
        if node.get("value"):
            yield self._replace("literal", node["value"], "0")


def _like(text, number):
    """The number in the notation of `text`."""
    if text.startswith("0x"):
        return f"0x{number:0{len(text.replace('_', '')) - 2}x}"
    return str(number)


def _range(node):
    start, length, _ = (int(part) for part in node["src"].split(":"))
    return start, start + length


def _returns(member):
    return member["returnParameters"]["parameters"] if member["nodeType"] == "FunctionDefinition" else []


def _nodes(tree):
    """All nodes of a syntax tree, including assembly."""
    if isinstance(tree, dict):
        if "nodeType" in tree:
            yield tree
        for child in tree.values():
            yield from _nodes(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from _nodes(child)
