"""Translated texts, from one catalogue per language in this folder.

``de.json`` maps each English text to its German translation. Names in braces are placeholders. A
text that is missing from a catalogue is shown in English. To add a language, add a catalogue.
Records, position files and the notation of moves are the same in every language.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

ENGLISH = "en"
GAP = "…"  # stands for the rest of the sentence in the entry of a verb
NAME = "English"  # every catalogue translates this to the name of its language

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


@cache
def _catalogues() -> dict[str, Mapping[str, str]]:
    """Return all catalogues by language code, so that no path is built from a request."""
    files = sorted(Path(__file__).parent.glob("*.json"))
    return {file.stem: json.loads(file.read_text("utf-8")) for file in files}


def list_languages() -> dict[str, str]:
    """Return the name of each language, in that language, by its code."""
    return {ENGLISH: NAME} | {code: texts[NAME] for code, texts in _catalogues().items()}


def read_catalogue(language: str) -> Mapping[str, str]:
    """Return the translations into a language by the English texts; {} if there are none."""
    return _catalogues().get(language, {})


def describe_languages() -> dict[str, Mapping[str, str]]:
    """Return what a page needs: all languages, and the texts of the current one."""
    return {"names": list_languages(), "texts": read_catalogue(get_language())}


def get_language() -> str:
    """Return the code of the current language."""
    return _language.get()


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Set the current language of this thread or task within a ``with`` block."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def narrate(text: str) -> str:
    """Turn an instruction into a statement about a player: ``take a card`` into ``takes a card``.

    The result is in the current language. For each instruction, a catalogue has either an entry
    for the verb at the end of the translated instruction (``… nehmen`` with the value
    ``nimmt …``), or an entry for the whole English statement.
    """
    things, _, verb = tr(text).rpartition(" ")
    form = read_catalogue(get_language()).get(f"{GAP} {verb}")
    if form is None:
        return tr(_third_person(text))
    return " ".join(form.replace(GAP, things.rstrip(",")).split())


def _third_person(text: str) -> str:
    """Return an English instruction with its verb in the third person."""
    verb, space, rest = text.partition(" ")
    ending = {"do": "es", "forgo": "es", "carry": "ies"}.get(verb, "s")
    return verb.removesuffix("y" if verb == "carry" else "") + ending + space + rest


def figure(value: int) -> str:
    """Return an integer as text for people, with a minus sign instead of a hyphen."""
    return str(value).replace("-", "−")


def tr(text: str, **values: object) -> str:
    """Return a text in the current language, with `values` for its placeholders."""
    translation = read_catalogue(get_language()).get(text, text)
    return translation.format(**values) if values else translation
