"""What other processes do to a directory store while a test looks on. Started by spawning."""

import itertools
import os
import signal

from corbie.adapters.stores.directory import DirectoryStore
from corbie.domain.errors import AlreadyExists, Changed
from corbie.domain.paths import StorePath


def race(root: str, me: int, rounds: int) -> list[int]:
    """Try to be the first at each path; gives the rounds won."""
    store = DirectoryStore(root)
    won = []
    for number in range(rounds):
        try:
            store.write_new(StorePath(f"ctl/slots/race{number}"), b"%d" % me)
        except AlreadyExists:
            continue
        won.append(number)
    return won


def add(root: str, times: int) -> None:
    """Add one to a register, many times."""
    store = DirectoryStore(root)
    path = StorePath("ctl/slots/register")
    for _ in range(times):
        while True:
            there = store.read(path)
            assert there is not None
            try:
                store.write_unchanged(path, b"%d" % (int(there.data) + 1), there.version)
            except Changed:
                continue
            break


def come_and_go(root: str, me: int, times: int) -> None:
    """Write wakes into folders that others prune, and delete them again."""
    store = DirectoryStore(root)
    for number in range(times):
        time = f"20261012T2101{number % 3:02}.000Z"
        paths = [StorePath(f"ctl/wakes/{time}/ann/r{me % 2}/{me}-{n}") for n in range(3)]
        assert store.write_all_new(dict.fromkeys(paths, b"")) == frozenset()
        for path in paths:
            assert store.read(path) is not None
        store.delete_all(paths)


def write_for_ever(root: str, me: int) -> None:
    """Write in every way, without end, until killed; each file's bytes tell if it is whole."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    store = DirectoryStore(root)
    token = os.urandom(4).hex()
    for number in itertools.count():
        body = b"%d" % (number % 10) * (1 + number * 7919 % 200_000)
        data = b"%d:" % len(body) + body
        store.write_new(StorePath(f"ctl/slots/{token}-{number}"), data)
        batch = {StorePath(f"ctl/slots/{token}-{number}-{n}"): data for n in range(4)}
        store.write_all_new(batch)
        store.write(StorePath(f"ctl/slots/same{me}"), data)
        store.delete_all(list(batch)[:2])
