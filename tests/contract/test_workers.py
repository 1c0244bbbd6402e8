"""Workers: every task runs once, and `wait` returns when none is under way."""

import threading

import pytest

from corbie.adapters.workers import InlineWorkers, ThreadWorkers


class WorkersContract:
    """Give workers as `make` does."""

    def make(self):
        """Give fresh workers."""
        raise NotImplementedError

    @pytest.fixture
    def workers(self):
        """Give fresh workers."""
        return self.make()

    def test_every_task_runs_once(self, workers):
        ran = []
        for number in range(20):
            while not workers.free():
                workers.wait()
            workers.start(lambda number=number: ran.append(number))
        workers.wait()

        assert sorted(ran) == list(range(20))

    def test_there_is_room_again_after_a_task(self, workers):
        room = workers.free()
        workers.start(lambda: None)
        workers.wait()

        assert workers.free() == room > 0


class TestInlineWorkers(WorkersContract):
    """The caller itself."""

    def make(self):
        """Give them."""
        return InlineWorkers()


class TestThreadWorkers(WorkersContract):
    """Threads."""

    def make(self):
        """Give two."""
        return ThreadWorkers(capacity=2, on_end=lambda: None)

    def test_as_many_run_at_once_as_there_is_room_for(self):
        ended = threading.Semaphore(0)
        workers = ThreadWorkers(capacity=2, on_end=ended.release)
        both = threading.Barrier(3, timeout=10)

        workers.start(both.wait)
        workers.start(both.wait)
        room = workers.free()
        both.wait()
        workers.wait()

        assert room == 0
        assert workers.free() == 2
        assert ended.acquire(timeout=10)
        assert ended.acquire(timeout=10)
