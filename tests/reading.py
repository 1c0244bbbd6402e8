"""The definition reader on the real engine, and definitions to read with it."""

from corbie.adapters.documents.reader import PydanticDefinitionReader
from corbie.adapters.documents.yaml_text import read_yaml
from corbie.domain.places import DefinitionRefused
from tests.builders import CHECKER, EVALUATOR

READER = PydanticDefinitionReader(evaluator=EVALUATOR, checker=CHECKER)


def read(text, file="flow.yaml"):
    """Give the machine of a YAML text."""
    return READER.read(read_yaml(text.encode(), file))


def problems_of(text, file="flow.yaml"):
    """Give what is said of a YAML text, a line each; nothing of a good one."""
    try:
        read(text, file)
    except DefinitionRefused as error:
        return str(error).splitlines()
    return []
