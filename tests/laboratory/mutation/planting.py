"""Many faults in one source text, each switched on by its number while the program runs.

So a whole batch is compiled once (Untch, Offutt and Harrold, Mutation Analysis Using Mutant
Schemata, ISSTA 1993). ``trajan_planted(n)`` notes that fault n was reached and tells whether it is
the one that is on: see switch.h and switch.py. A statement becomes a choice between its faulty
texts and its own, the condition of an `if` or `while` and the bounds of a `for` a conditional
expression.
"""

import io
import re
import tokenize
from dataclasses import dataclass

from faults import Fault

SWITCH = "trajan_planted"
HEAD = re.compile(r"(\s*(?:if|elif|while) )(.*):\s*\Z", re.DOTALL)
RANGE = re.compile(r"(\s*for [^()]+ in range\()(.*)(\):\s*)\Z", re.DOTALL)
LOOP = re.compile(r"(\s*for .+? in )(.*)(:\s*)\Z", re.DOTALL)
DECLARED = re.compile(r"(\s+cdef [^=(]+ = )(.*)\Z", re.DOTALL)
COMMENT = re.compile(r"\s*#[^\"'\n]*\Z")
FUNCTION = re.compile(r"\s*(cdef|cpdef|def) .*\(", re.DOTALL)
BLOCK = re.compile(r"\s*(if|elif|while|for|with|try|except|finally|else|case|match|async)\b")


@dataclass(frozen=True)
class Statement:
    """Lines `first` to `last` of a source text, from 1; whether they stand in a function."""

    first: int
    last: int
    inside: bool


def statements(source: str) -> list[Statement]:
    """Return the statements of a text, a compound one as its head."""
    lines = source.splitlines()
    found, heads, first = [], [], None
    skipped = {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if first is None and token.type not in skipped | {tokenize.NEWLINE}:
            first = token.start[0]
        if token.type == tokenize.NEWLINE and first is not None:
            text = "\n".join(lines[first - 1 : token.start[0]])
            indent = len(text) - len(text.lstrip())
            heads = [(depth, head) for depth, head in heads if depth < indent]
            inside = any(FUNCTION.match(head) for _, head in heads)
            found.append(Statement(first, token.start[0], inside))
            if COMMENT.sub("", text).rstrip().endswith(":"):
                heads.append((indent, text))
            first = None
    return found


def part(source: str, statement: Statement) -> str:
    """Return the text of a statement, without the newline at its end."""
    return "\n".join(source.splitlines()[statement.first - 1 : statement.last])


def variants(source: str, statement: Statement, faults: dict[int, Fault]) -> str | None:
    """Return the statement with its faults to choose from, None if one cannot be planted."""
    text = COMMENT.sub("", part(source, statement))
    compiled = not next(iter(faults.values())).file.endswith(".py")
    if compiled and not statement.inside:
        return None
    faulty = {
        n: COMMENT.sub("", part(fault.planted(source), statement)) for n, fault in faults.items()
    }
    head = HEAD.match(text)
    if head and not head[1].strip().startswith("else"):
        return chosen(HEAD, text, faulty) + ":"
    if text.rstrip().endswith(":"):
        if not compiled:
            return chosen(LOOP, text, faulty) + ":" if LOOP.match(text) else None
        return bounds(text, faulty) if RANGE.match(text) else None
    if BLOCK.match(text):
        return None  # a block on one line
    if text.lstrip().startswith("cdef "):
        simple = DECLARED.match(text) and "," not in text and statement.first == statement.last
        after = all(DECLARED.match(other) for other in faulty.values())
        same = simple and all(
            DECLARED.match(o)[1] == DECLARED.match(text)[1] for o in faulty.values()
        )
        return chosen(DECLARED, text, faulty) if simple and after and same else None
    indent = " " * (len(text) - len(text.lstrip()))
    lines = []
    for word, (number, other) in zip(
        ["if"] + ["elif"] * len(faulty), faulty.items(), strict=False
    ):
        lines += [f"{indent}{word} {SWITCH}({number}):", f"    {other}"]
    return "\n".join([*lines, f"{indent}else:", f"    {text}"])


def choice(texts: dict[int, str], text: str) -> str:
    """Return the expression that is `texts[n]` while fault n is on."""
    return (
        f"({''.join(f'({other}) if {SWITCH}({n}) else ' for n, other in texts.items())}({text}))"
    )


def chosen(form: re.Pattern[str], text: str, faulty: dict[int, str]) -> str:
    """Return the text with a choice in place of the second group of its form."""
    whole = form.match(text)
    others = {number: form.match(other)[2] for number, other in faulty.items()}
    return whole[1] + choice(others, whole[2])


def bounds(text: str, faulty: dict[int, str]) -> str | None:
    """Return a loop over a range with choices for its bounds; its step must be a constant."""
    start, arguments, end = RANGE.match(text).groups()
    own = split(arguments)
    others: list[dict[int, str]] = [{} for _ in own]
    for number, other in faulty.items():
        for place, (mine, its) in enumerate(zip(own, split(RANGE.match(other)[2]), strict=True)):
            if mine != its:
                others[place][number] = its
    if len(own) == 3 and others[2]:
        return None
    new = [choice(other, mine) if other else mine for mine, other in zip(own, others, strict=True)]
    return start + ", ".join(new) + end


def split(arguments: str) -> list[str]:
    """Return the arguments of a call, split at the commas outside brackets."""
    found, depth = [""], 0
    for letter in arguments:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [argument.strip() for argument in found]


def plantable(source: str, faults: list[Fault]) -> list[Fault]:
    """Return those faults that can be switched on and off."""
    lines = {line: s for s in statements(source) for line in range(s.first, s.last + 1)}
    kept = []
    for fault in faults:
        statement = lines.get(fault.line)
        if statement is None or (fault.new == "pass" and statement.first != statement.last):
            continue
        if variants(source, statement, {0: fault}) is not None:
            kept.append(fault)
    return kept


def planted(source: str, faults: dict[int, Fault]) -> str:
    """Return the text with all these faults, by number, behind their switches."""
    compiled = not next(iter(faults.values())).file.endswith(".py")
    lines = source.splitlines()
    imported = f"from {SWITCH} {'cimport' if compiled else 'import'} {SWITCH}"
    every = statements(source)
    first = next(
        s.first
        for s in every
        if re.match(r"(from (?!__future__)|cimport |import |cdef )", lines[s.first - 1])
    )
    out, done = [], 0
    for statement in every:
        out += lines[done : statement.first - 1]
        if statement.first == first:
            out.append(imported)
        here = {
            n: fault
            for n, fault in faults.items()
            if statement.first <= fault.line <= statement.last
        }
        out.append(variants(source, statement, here) if here else part(source, statement))
        done = statement.last
    return "\n".join([*out, *lines[done:]]) + "\n"
