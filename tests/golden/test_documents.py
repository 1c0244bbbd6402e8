"""Definitions with mistakes, and word for word what is said of them."""

from pathlib import Path

import pytest

from corbie.adapters.documents.files import DirectoryDocuments
from corbie.domain.places import DefinitionRefused
from tests.reading import READER

FOLDER = Path(__file__).parent / "documents"


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_mistakes_of_a_definition_are_told_in_these_words(file):
    with pytest.raises(DefinitionRefused) as refused:
        READER.read(DirectoryDocuments(FOLDER).read_document(file.name))

    assert f"{refused.value}\n" == file.with_suffix(".txt").read_text()


def test_ten_mistakes_are_all_told_with_a_line_and_a_column():
    with pytest.raises(DefinitionRefused) as refused:
        READER.read(DirectoryDocuments(FOLDER).read_document("ten_mistakes.yaml"))

    problems = refused.value.problems
    assert len(problems) >= 10
    assert all(problem.place.line and problem.place.column for problem in problems)
    assert all(problem.mend for problem in problems if "twice" not in problem.what)
