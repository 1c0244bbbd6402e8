"""What a store's operator can read: no input, output, log line, script or error of any run."""

import base64
from pathlib import Path

import pytest

from tests.crash.home import make_home, started, wait_until

MARKS = ("tyrannosaur", "archaeopteryx", "dimetrodon", "ichthyosaur", "plesiosaur", "megalodon")
SCRIPT = """
// megalodon
log("dimetrodon is seen");
emit("found", { what: "ichthyosaur" });
if (input.wait) { sleep(60000); }
if (input.fail) { fail("plesiosaur bites", { by: "plesiosaur" }); }
return { out: "archaeopteryx", of: input.secret };
"""
FLOW = """
flow: hidden
title: "about ${input.secret}"
stages:
  work: { job: { script: ./work.js, input: "${input}" } }
output: ${stages.work.output}
"""


@pytest.mark.slow
def test_no_byte_of_what_a_run_is_about_stands_in_the_store(tmp_path: Path) -> None:
    corbie = make_home(tmp_path / "home")
    (tmp_path / "work.js").write_text(SCRIPT)
    (tmp_path / "hidden.yaml").write_text(FLOW)
    bundle = corbie.read(tmp_path / "hidden.yaml")
    secret = {"secret": "tyrannosaur"}

    with started(tmp_path / "home"):
        done = corbie.submit(bundle, secret).wait(timeout=30)
        failed = corbie.submit(bundle, {**secret, "fail": True}).wait(timeout=30)
        large = corbie.submit(bundle, {"secret": "tyrannosaur" * 20_000}).wait(timeout=30)
        running = corbie.submit(bundle, {**secret, "wait": True})
        wait_until(lambda: bool(running.said()), "the script says something")
        files = {
            path: path.read_bytes()
            for path in (tmp_path / "home" / "store").rglob("*")
            if path.is_file()
        }
        said = running.said()

    assert done.output == {"out": "archaeopteryx", "of": "tyrannosaur"}
    assert failed.failure is not None
    assert "plesiosaur" in failed.failure.error
    assert large.status == "done"
    assert [one.emitted.value for one in said] == ["dimetrodon is seen", {"what": "ichthyosaur"}]
    assert len(files) > 20
    shown = [
        f"{path.name}: {mark}"
        for path, data in files.items()
        for mark in MARKS
        if any(form in data for form in _forms(mark))
    ]
    assert shown == []


def _forms(mark: str) -> list[bytes]:
    """Give a text as it may stand in a file: plain, in hex, in base64 at each of its offsets."""
    plain = mark.encode()
    coded = [base64.urlsafe_b64encode(b"x" * pad + plain)[4:-4] for pad in range(3)]
    return [plain, plain.hex().encode(), *coded]
