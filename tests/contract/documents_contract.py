"""What every source of documents promises; its tests subclass `DocumentsContract`."""

import os
from abc import ABC, abstractmethod

import pytest

from corbie.domain.errors import ValueRefused
from corbie.domain.places import DefinitionRefused

OUTSIDE = ["../out.js", "a/../../out.js", "/etc/passwd", "", ".", "a\0b"]


class DocumentsContract(ABC):
    @abstractmethod
    def make(self, folder):
        """Give a source over a folder."""

    def test_a_text_is_given_as_it_is_without_its_mark(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "x.js").write_bytes("\ufeffreturn 'é'\r\n".encode())

        assert self.make(tmp_path).read_text("a/x.js") == "return 'é'\r\n"

    def test_a_document_has_the_name_it_was_asked_for_by(self, tmp_path):
        (tmp_path / "flow.yaml").write_text("flow: a\n")

        document = self.make(tmp_path).read_document("flow.yaml")

        assert document.file == "flow.yaml"
        assert document.value == {"flow": "a"}

    @pytest.mark.parametrize("path", OUTSIDE)
    def test_a_path_that_is_none_below_the_context_is_refused(self, tmp_path, path):
        (tmp_path / "out.js").write_text("x")
        folder = tmp_path / "context"
        folder.mkdir()

        with pytest.raises(ValueRefused):
            self.make(folder).read_text(path)
        with pytest.raises(DefinitionRefused):
            self.make(folder).read_document(path)

    @pytest.mark.parametrize(
        ("path", "says"),
        [
            ("missing.js", "missing.js: there is no such file in the context"),
            ("file.js/x.js", "there is no such file"),
            ("folder", "this is a directory"),
            ("pipe", "this is no regular file"),
            ("leads_out.js", "a symbolic link leads out of the context"),
            ("leads_out/secret.js", "a symbolic link leads out of the context"),
            ("circle.js", "circle"),
            ("x" * 5_000, "longer than a path can be"),
            ("large.js", "larger than 4 MiB"),
            ("latin.js", "latin.js: the file is not UTF-8: byte 9, in line 2, is 0xe9"),
        ],
    )
    def test_what_cannot_be_read_is_refused_in_one_sentence(self, tmp_path, path, says):
        folder = tmp_path / "context"
        (folder / "folder").mkdir(parents=True)
        (tmp_path / "secret.js").write_text("secret")
        (folder / "file.js").write_text("")
        os.mkfifo(folder / "pipe")
        (folder / "leads_out.js").symlink_to(tmp_path / "secret.js")
        (folder / "leads_out").symlink_to(tmp_path)
        (folder / "circle.js").symlink_to(folder / "circle.js")
        (folder / "large.js").write_bytes(b"x" * (4 * 1024 * 1024 + 1))
        (folder / "latin.js").write_bytes(b"// one\n//\xe9")

        with pytest.raises(ValueRefused) as refused:
            self.make(folder).read_text(path)
        with pytest.raises(DefinitionRefused):
            self.make(folder).read_document(path)

        assert says in str(refused.value)
        assert "\n" not in str(refused.value)

    def test_a_link_inside_of_the_context_is_followed(self, tmp_path):
        (tmp_path / "a.js").write_text("return 1")
        (tmp_path / "b.js").symlink_to(tmp_path / "a.js")

        assert self.make(tmp_path).read_text("b.js") == "return 1"

    def test_a_file_of_exactly_4_mib_is_read(self, tmp_path):
        (tmp_path / "a.js").write_bytes(b"x" * (4 * 1024 * 1024))

        assert len(self.make(tmp_path).read_text("a.js")) == 4 * 1024 * 1024
