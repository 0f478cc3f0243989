"""The catalogues of translations: every file in the package is one language."""

import pytest

from trajan_ai.core import languages


@pytest.mark.parametrize("language", ["../x", "de/../de", "x" * 300, "", "\x00", "de.json", "DE"])
def test_an_unknown_language_is_english(language):
    with languages.use_language(language):
        assert languages.tr("Legal moves") == "Legal moves"
        assert languages.describe_languages()["texts"] == {}


def test_the_language_is_set_within_a_block_alone():
    assert languages.list_languages() == {"en": "English", "de": "Deutsch"}
    with languages.use_language("de"):
        assert languages.tr("Legal moves") == languages.read_catalogue("de")["Legal moves"]
    assert languages.tr("Legal moves") == "Legal moves"
