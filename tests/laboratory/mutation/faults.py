"""Faults that can be planted in Python and Cython source text: one token or line changed.

The classes of faults follow the usual mutation operators (Offutt et al., An Experimental
Determination of Sufficient Mutant Operators, TOSEM 5, 1996, section 3), chosen for what goes wrong
in rules: a comparison, a constant by one, plus for minus, a lost condition, a lost line, and for
or, least for most.
"""

import io
import re
import tokenize
from dataclasses import asdict, dataclass

SWAPPED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "+=": "-=", "-=": "+=", "*": "+", "//": "*", "<<": ">>", ">>": "<<",
    "&": "|", "|": "&", "and": "or", "or": "and", "min": "max", "max": "min",
    "min_int": "max_int", "max_int": "min_int", "True": "False", "False": "True",
    "break": "continue",
}  # fmt: skip
WORDS = {word for word in SWAPPED if word.isidentifier()}
NOT_CODE = re.compile(
    r"\s*(#|@|import |from |cimport |cdef (?![^(]+ = )|cpdef |def |class |return$|ctypedef |raise "
    r"|assert )"
)
LOSABLE = re.compile(r"\s*[\w.\[\]]+(\(.*\)|\s(=|[-+|&^]=)\s.*)$")  # a call or an assignment
CONDITION = re.compile(r"(\s*(?:if|elif|while) )(.+):$")


@dataclass(frozen=True)
class Fault:
    """Text `old` at a line and column, both from 1, that becomes `new`."""

    file: str
    line: int
    column: int
    old: str
    new: str

    def planted(self, source: str) -> str:
        """Return the source with this fault."""
        lines = source.splitlines(keepends=True)
        text, start = lines[self.line - 1], self.column - 1
        assert text.startswith(self.old, start), self
        lines[self.line - 1] = text[:start] + self.new + text[start + len(self.old) :]
        return "".join(lines)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: `{self.old}` -> `{self.new}`"

    def plain(self) -> dict:
        """Return it as plain data."""
        return asdict(self)


def faults(file: str, source: str) -> list[Fault]:
    """Return every fault that can be planted in a source text, from top to bottom."""
    lines = source.splitlines()
    found = []
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    in_text = set()
    for token in tokens:
        if token.type == tokenize.STRING and token.start[0] != token.end[0]:
            in_text |= set(range(token.start[0], token.end[0] + 1))
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        number, column = token.start
        text = lines[number - 1] if number <= len(lines) else ""
        if number in in_text or NOT_CODE.match(text) or "->" in text:
            continue
        new = None
        if token.type == tokenize.NUMBER and token.string.isdigit():
            new = str(int(token.string) + 1)
        elif token.string in SWAPPED and binary(before, token, after):
            new = SWAPPED[token.string]
        if new is not None:
            found.append(Fault(file, number, column + 1, token.string, new))
    for number, text in enumerate(lines, start=1):
        whole = number not in in_text and not NOT_CODE.match(text)
        if whole and LOSABLE.match(text) and text.count("(") == text.count(")"):
            indent = len(text) - len(text.lstrip())
            found.append(Fault(file, number, indent + 1, text.strip(), "pass"))
        condition = CONDITION.match(text) if whole else None
        if condition and not text.lstrip().startswith("while"):
            start, old = condition.groups()
            for new in ("True", "False"):
                found.append(Fault(file, number, len(start) + 1, old, new))
    return sorted(found, key=lambda fault: (fault.line, fault.column, fault.new))


def binary(before, token, after) -> bool:
    """Whether an operator stands between two operands, or a word is used as itself."""
    if token.string in WORDS:
        return not token.string.startswith(("min", "max")) or after.string == "("
    operand = before.type in (tokenize.NAME, tokenize.NUMBER) or before.string in (")", "]")
    pointer = token.string in ("*", "&", "-", "+") and not before.line[: token.start[1]].endswith(
        " "
    )
    return operand and not pointer and before.string not in ("return", "in", "if", "and", "or")
