"""What every kind of process needs of the adapters: one provider for each port.

With the annotation `Provider[Port]` mypy checks that the adapter satisfies the port.
Source: architecture, Wiring.
"""

import time
from collections.abc import Callable

from dependency_injector import containers, providers

from corbie.adapters.clocks import SystemClock
from corbie.adapters.codecs import make_codecs
from corbie.adapters.crypto.blobs import AesBlobCipher
from corbie.adapters.crypto.keyfiles import FileKeyring
from corbie.adapters.crypto.sealing import HpkeSealer
from corbie.adapters.crypto.signatures import Ed25519Verifier
from corbie.adapters.documents.reader import PydanticDefinitionReader
from corbie.adapters.entropy import SystemEntropy
from corbie.adapters.isolated import ChildStepTaker
from corbie.adapters.javascript.quickjs import QuickJsEvaluator
from corbie.adapters.schemas import JsonSchemaChecker
from corbie.adapters.scripts.host import ProcessScriptHost
from corbie.adapters.stores.opening import open_store, require_version
from corbie.adapters.stores.retrying import RetryingStore
from corbie.adapters.stores.watching import WatchedStore
from corbie.adapters.suspects import SuspectFolder
from corbie.app.files.sealed import Codecs
from corbie.domain.definitions.machine import Machine
from corbie.domain.expressions.patterns import PatternMatcher
from corbie.domain.ports.clock import Clock
from corbie.domain.ports.crypto import BlobCipher, Sealer, Verifier
from corbie.domain.ports.documents import DefinitionReader
from corbie.domain.ports.entropy import Entropy
from corbie.domain.ports.evaluator import Evaluator
from corbie.domain.ports.keyring import Keyring
from corbie.domain.ports.schemas import SchemaChecker
from corbie.domain.ports.scripts import ScriptHost
from corbie.domain.ports.suspects import Suspects
from corbie.domain.steps.isolation import StepTaker
from corbie.domain.times import SECOND, Span
from corbie.entrypoints.settings import Settings


def sleep_span(span: Span) -> None:
    """Let so much time pass."""
    time.sleep(span / SECOND)


def _open_ready_store(url: str) -> RetryingStore:
    """Open a store that was set up, by this layout, with bounded retries.

    Raises:
        SetupRefused: there is none, or it has another layout.
    """
    store = RetryingStore(open_store(url), sleep_span)
    require_version(store)
    return store


class AdaptersContainer(containers.DeclarativeContainer):
    """The adapters of a process on this computer."""

    settings = providers.Dependency(instance_of=Settings)

    clock: providers.Provider[Clock] = providers.ThreadSafeSingleton(SystemClock)
    entropy: providers.Provider[Entropy] = providers.ThreadSafeSingleton(SystemEntropy)
    codecs: providers.Provider[Codecs] = providers.ThreadSafeSingleton(make_codecs)
    keyring: providers.Provider[Keyring] = providers.ThreadSafeSingleton(
        FileKeyring, folder=settings.provided.keys_folder
    )
    verifier: providers.Provider[Verifier] = providers.ThreadSafeSingleton(Ed25519Verifier)
    sealer: providers.Provider[Sealer] = providers.ThreadSafeSingleton(HpkeSealer, clock=clock)
    cipher: providers.Provider[BlobCipher] = providers.ThreadSafeSingleton(AesBlobCipher)
    store: providers.Provider[WatchedStore] = providers.ThreadSafeSingleton(
        _open_ready_store, settings.provided.store
    )
    suspects: providers.Provider[Suspects] = providers.ThreadSafeSingleton(
        SuspectFolder, folder=settings.provided.suspects_folder
    )
    isolated: providers.Provider[StepTaker] = providers.ThreadSafeSingleton(ChildStepTaker)
    on_stuck: providers.Provider[Callable[[], None] | None] = providers.Object(None)
    evaluator: providers.Provider[Evaluator] = providers.ThreadSafeSingleton(
        QuickJsEvaluator, on_stuck=on_stuck
    )
    patterns = providers.ThreadSafeSingleton(PatternMatcher, evaluator=evaluator)
    checker: providers.Provider[SchemaChecker] = providers.ThreadSafeSingleton(
        JsonSchemaChecker, matches=patterns.provided.matches
    )
    reader: providers.Provider[DefinitionReader[Machine]] = providers.ThreadSafeSingleton(
        PydanticDefinitionReader, evaluator=evaluator, checker=checker
    )
    host: providers.Provider[ScriptHost] = providers.ThreadSafeSingleton(
        ProcessScriptHost, clock=clock
    )
