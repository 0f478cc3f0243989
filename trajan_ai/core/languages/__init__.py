"""Texts in the language of whoever reads them, from one catalogue per language in this folder.

``de.json`` has the German text for each English one; names in braces stand for what is put in.
What a catalogue lacks is shown in English. Another language is another file: nothing else names
it. Records, position files and the notation of moves are the same in every language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

ENGLISH = "en"
GAP = "…"  # stands in a verb for the rest of what it is said of
NAME = "English"  # the text under which a catalogue has the name of its language

_chosen: ContextVar[str] = ContextVar("language", default=ENGLISH)


def names() -> dict[str, str]:
    """Return the languages there are, by their code: what each calls itself."""
    codes = sorted(path.stem for path in Path(__file__).parent.glob("*.json"))
    return {ENGLISH: NAME} | {code: catalogue(code)[NAME] for code in codes}


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return the texts of a language by the English ones, none for one that there is not."""
    path = Path(__file__).with_name(f"{language}.json")
    known = language.isalpha() and path.exists()
    texts: dict[str, str] = json.loads(path.read_text("utf-8")) if known else {}
    return texts


def spoken() -> dict[str, Mapping[str, str]]:
    """Return what a page needs: the languages there are, and the texts of the one chosen."""
    return {"names": names(), "texts": catalogue(chosen())}


def chosen() -> str:
    """Return the language of texts made here and now."""
    return _chosen.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Make texts in a language meanwhile, in this thread or task alone."""
    before = _chosen.set(language)
    try:
        yield
    finally:
        _chosen.reset(before)


def sentence(text: str) -> str:
    """Return an instruction in the language chosen as what somebody does: ``takes a card``.

    A catalogue says how the verb that ends its text changes, such as ``… nehmen``: ``nimmt …``,
    or has a text for the English sentence.
    """
    things, _, verb = tr(text).rpartition(" ")
    form = catalogue(_chosen.get()).get(f"{GAP} {verb}")
    if form is None:
        return tr(third_person(text))
    return " ".join(form.replace(GAP, things.rstrip(",")).split())


def third_person(text: str) -> str:
    """Return an English instruction as what somebody does."""
    verb, space, rest = text.partition(" ")
    ending = {"do": "es", "forgo": "es", "carry": "ies"}.get(verb, "s")
    return verb.removesuffix("y" if verb == "carry" else "") + ending + space + rest


def tr(text: str, **values: object) -> str:
    """Return a text in the language chosen, with values for the names in its braces."""
    found = catalogue(_chosen.get()).get(text, text)
    return found.format(**values) if values else found
