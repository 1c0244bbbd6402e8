"""The machines of stored definitions, each read once. Source: architecture, app (full form)."""

from collections import OrderedDict

from corbie.app.files.blobs import BlobFiles, Home
from corbie.domain.blobs import BlobRef
from corbie.domain.definitions.machine import Machine
from corbie.domain.errors import ValueRefused
from corbie.domain.ports.documents import DefinitionReader

MACHINES_MAX = 200


class Machines:
    """Machines by the digest of their full form."""

    def __init__(self, *, blobs: BlobFiles, reader: DefinitionReader[Machine]) -> None:
        """Know none yet."""
        self._blobs = blobs
        self._reader = reader
        self._known: OrderedDict[str, Machine] = OrderedDict()

    def load(self, home: Home, definition: BlobRef) -> Machine:
        """Give the machine of a run's definition.

        Raises:
            Untrusted: the blob is not what its reference says.
            ValueRefused, DefinitionRefused: it is no full form, or lacks a script's file.
        """
        # The files of a definition are named inside it with their keys, so that the digest of
        # one names one run's blobs.
        known = self._known.get(definition.sha256)
        if known is None:
            known = self._reader.read_full_form(self._blobs.read(home, definition))
            _require_files(known)
            self._known[definition.sha256] = known
            if len(self._known) > MACHINES_MAX:
                self._known.popitem(last=False)
        return known


def _require_files(machine: Machine) -> None:
    scripts = [stage.job.script for stage in machine.body.stages.values()]
    needed = {path for script in scripts for path in (script, *machine.requires.get(script, ()))}
    missing = sorted(needed - machine.files.keys())
    if missing:
        message = f"the file of the script {missing[0]} was not sent with it"
        raise ValueRefused(message)
