"""The crypto adapters under their contracts, and what only they do."""

import json
import logging
import os
import stat

import pytest

from corbie.adapters.crypto import sealing, signatures
from corbie.adapters.crypto.blobs import AesBlobCipher
from corbie.adapters.crypto.cards import format_card, read_card
from corbie.adapters.crypto.keyfiles import FileKeyring
from corbie.adapters.crypto.memory_keyring import MemoryKeyring
from corbie.adapters.crypto.sealing import HpkeSealer
from corbie.adapters.crypto.signatures import Ed25519Verifier
from corbie.domain.cards import Card
from corbie.domain.errors import CryptoFault, SetupRefused, ValueRefused
from corbie.domain.times import HOUR, Instant
from tests.contract.crypto_contract import (
    BOUND,
    DATA,
    BlobContract,
    KeyringContract,
    SealingContract,
    SignatureContract,
)

FIELD = 2**255 - 19


class SetClock:
    """A clock that a test sets."""

    def __init__(self):
        self.at = Instant(0)

    def now(self):
        return self.at


@pytest.fixture
def clock():
    return SetClock()


@pytest.fixture
def sealer(clock):
    return HpkeSealer(clock=clock)


@pytest.fixture
def verifier():
    return Ed25519Verifier()


@pytest.fixture
def keyring():
    return MemoryKeyring()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "keys"


class TestEd25519(SignatureContract):
    """Ed25519Signer and Ed25519Verifier."""

    @pytest.mark.parametrize("text", ["", "00", "g" * 64, "A" * 64, " " + "0" * 63, "0" * 66])
    def test_a_card_without_a_key_verifies_nothing(self, verifier, text):
        card = Card(name="ada", role="client", sign=text, seal="")

        with pytest.raises(CryptoFault):
            verifier.verify(card, DATA, bytes(64))

    def test_a_point_that_anybody_can_sign_for_is_no_key(self, verifier):
        # With the neutral point as key, this signature holds for every text.
        neutral = (1).to_bytes(32, "little")
        card = Card(name="ada", role="client", sign=neutral.hex(), seal="")

        with pytest.raises(CryptoFault, match="no party can own"):
            verifier.verify(card, DATA, neutral + bytes(32))

    def test_the_refused_points_are_all_of_low_order(self):
        # Order 8: x squared is minus or plus y squared on -x^2 + y^2 = 1 + d x^2 y^2, doubled
        # to order 4, whose y is 0; so y^2 solves d y^4 + 2 y^2 - 1 = 0 with x^2 = y^2 / -1.
        d = -121665 * pow(121666, -1, FIELD) % FIELD
        for y in signatures._LOW_ORDER_Y - {0, 1, FIELD - 1}:
            assert (d * pow(y, 4, FIELD) + 2 * y * y - 1) % FIELD == 0
        assert len(signatures._LOW_ORDER_Y) == 5


class TestHpke(SealingContract):
    """HpkeSealer and HpkeOpener."""

    def test_a_set_up_is_kept_for_an_hour(self, keyring, sealer, clock):
        card = keyring.create("ada", "client")
        first = sealer.seal(DATA, BOUND, [card])[9:41]

        clock.at = Instant(HOUR - 1)
        kept = sealer.seal(DATA, BOUND, [card])[9:41]
        clock.at = HOUR
        fresh = sealer.seal(DATA, BOUND, [card])

        assert kept == first
        assert fresh[9:41] != first
        assert keyring.opener("ada").open(fresh, BOUND) == DATA

    def test_a_set_up_is_kept_for_a_million_files(self, keyring, sealer):
        card = keyring.create("ada", "client")
        first = sealer.seal(DATA, BOUND, [card])[9:41]

        sealer._setups[card.seal].files = sealing.SETUP_FILES_MAX - 1
        last = sealer.seal(DATA, BOUND, [card])[9:41]
        fresh = sealer.seal(DATA, BOUND, [card])[9:41]

        assert last == first
        assert fresh != first

    def test_each_reader_has_a_set_up_of_its_own(self, keyring, sealer):
        cards = [keyring.create(name, "client") for name in ("ada", "bob")]

        sealed = sealer.seal(DATA, BOUND, cards)

        assert sealed[9:41] != sealed[109:141]

    def test_what_does_not_open_is_not_kept(self, keyring, sealer):
        card = keyring.create("ada", "client")
        opener = keyring.opener("ada")
        sealed = sealer.seal(DATA, BOUND, [card])

        with pytest.raises(CryptoFault):
            opener.open(sealed, b"other")
        assert len(opener._derived) == 0

        opener.open(sealed, BOUND)
        assert len(opener._derived) == 1

    def test_what_is_kept_is_bounded(self, keyring, sealer):
        card = keyring.create("ada", "client")
        opener = keyring.opener("ada")
        filler = {bytes([number % 256, number // 256]): None for number in range(4096)}
        opener._derived.update(filler)

        opener.open(sealer.seal(DATA, BOUND, [card]), BOUND)

        assert len(opener._derived) == sealing.SETUPS_KEPT_MAX

    @pytest.mark.parametrize("text", ["", "0" * 64, "0" * 62, "x" * 64, "f" * 64])
    def test_a_card_without_a_sealing_key_is_sealed_nothing(self, sealer, text):
        with pytest.raises(CryptoFault):
            sealer.seal(DATA, BOUND, [Card(name="ada", role="client", sign="", seal=text)])


class TestAesBlobs(BlobContract):
    """AesBlobCipher."""

    @pytest.fixture
    def blobs(self):
        return AesBlobCipher()


class TestMemoryKeyring(KeyringContract):
    """MemoryKeyring."""


class TestFileKeyring(KeyringContract):
    """FileKeyring."""

    @pytest.fixture
    def keyring(self, folder):
        return FileKeyring(folder=folder)

    def test_a_created_party_is_there_for_the_next_process(self, keyring, folder):
        card = keyring.create("ada", "client")

        again = FileKeyring(folder=folder)

        assert again.signer("ada").card == card
        assert again.signer("ada").sign(DATA) == keyring.signer("ada").sign(DATA)
        assert again.names() == ("ada",)

    def test_a_key_file_is_its_owners_alone_and_says_what_it_is(self, keyring, folder):
        keyring.create("ada", "client")

        path = folder / "ada.key"
        fields = json.loads(path.read_text())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert [*fields] == ["version", "name", "role", "sign", "seal"]
        assert (fields["version"], fields["name"], fields["role"]) == (1, "ada", "client")
        assert [path.name for path in folder.iterdir()] == ["ada.key"]

    def test_an_existing_file_is_never_written_over(self, folder):
        folder.mkdir(mode=0o700)
        (folder / "ada.key").write_text("mine")

        with pytest.raises(SetupRefused, match="exists already"):
            FileKeyring(folder=folder).create("ada", "client")

        assert (folder / "ada.key").read_text() == "mine"
        assert len(list(folder.iterdir())) == 1

    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o601])
    def test_a_file_that_others_may_read_is_refused_with_the_command(self, keyring, folder, mode):
        keyring.create("ada", "client")
        path = folder / "ada.key"
        path.chmod(mode)

        with pytest.raises(SetupRefused) as caught:
            FileKeyring(folder=folder).signer("ada")

        assert f"`chmod 600 {path}`" in str(caught.value)

    def test_a_folder_that_others_may_write_is_refused_with_the_command(self, keyring, folder):
        keyring.create("ada", "client")
        folder.chmod(0o770)

        with pytest.raises(SetupRefused) as caught:
            FileKeyring(folder=folder).signer("ada")
        with pytest.raises(SetupRefused):
            keyring.create("bob", "client")

        assert f"`chmod 700 {folder}`" in str(caught.value)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
    def test_a_file_of_another_user_is_refused(self, keyring, folder):
        keyring.create("ada", "client")
        os.chown(folder / "ada.key", 12345, -1)

        with pytest.raises(SetupRefused, match="belongs to another user"):
            FileKeyring(folder=folder).signer("ada")

    def test_a_damaged_file_is_refused_and_none_of_it_is_told(self, keyring, folder, caplog):
        caplog.set_level(logging.DEBUG)
        keyring.create("ada", "client")
        path = folder / "ada.key"
        text = path.read_text()
        fields = json.loads(text)
        damaged = [text[:size] for size in range(0, len(text) - 2, 7)]
        damaged += [
            text.replace("1", "2", 1),
            text.replace('"client"', '"king"'),
            text.replace('"client"', "1"),
            text.replace(fields["sign"], fields["sign"][:-1]),
            text.replace(fields["seal"], fields["seal"] + "="),
            text.replace(fields["seal"], fields["seal"][:-2] + "!!"),
            text.replace('"name"', '"more": 1, "name"'),
            text.replace('"ada"', "1"),
            text.replace('"ada"', '"a/b"'),
            "[]",
            "\xff",
            text + text,
            text + " " * 5000 + "x",
        ]

        for bad in damaged:
            path.write_text(bad, encoding="latin-1")
            with pytest.raises(SetupRefused, match="is damaged") as caught:
                FileKeyring(folder=folder).signer("ada")
            assert fields["sign"][:8] not in str(caught.value) + caplog.text
            assert caught.value.__cause__ is None

    def test_a_file_of_another_name_is_refused(self, keyring, folder):
        keyring.create("ada", "client")
        (folder / "ada.key").rename(folder / "bob.key")

        with pytest.raises(SetupRefused, match=r"rename it to ada\.key"):
            FileKeyring(folder=folder).signer("bob")

    def test_what_is_no_regular_file_is_refused_without_waiting(self, folder):
        folder.mkdir(mode=0o700)
        os.mkfifo(folder / "ada.key", 0o600)
        (folder / "bob.key").mkdir(mode=0o700)

        for name in ("ada", "bob"):
            with pytest.raises(SetupRefused, match="no regular file"):
                FileKeyring(folder=folder).signer(name)

    def test_a_folder_that_cannot_be_made_is_refused(self, tmp_path):
        (tmp_path / "file").write_text("")

        with pytest.raises(SetupRefused, match="cannot be written"):
            FileKeyring(folder=tmp_path / "file" / "keys").create("ada", "client")

    def test_strange_names_in_the_folder_are_no_parties(self, keyring, folder):
        keyring.create("ada", "client")
        (folder / ".x.key").write_text("")
        (folder / "a b.key").write_text("")
        (folder / "notes").write_text("")

        assert keyring.names() == ("ada",)


class TestCards:
    """Card files."""

    def test_a_card_is_read_as_it_was_written(self, keyring):
        card = keyring.create("ada", "client")

        text = format_card(card)

        assert text.isascii()
        assert read_card(text) == card

    @pytest.mark.parametrize("role", ["", "king", "Client", None, 1, ["client"]])
    def test_a_role_that_is_none_is_refused(self, keyring, role):
        self.refuse(keyring, role=role)

    @pytest.mark.parametrize("name", ["", "a/b", "..", "version", "é", 1, None, "a" * 65])
    def test_a_name_that_is_no_partys_is_refused(self, keyring, name):
        self.refuse(keyring, name=name)

    @pytest.mark.parametrize("field", ["sign", "seal"])
    @pytest.mark.parametrize(
        "text", ["", "0" * 62, "0" * 66, "g" * 64, "F" * 64, "f" * 64, 1, None]
    )
    def test_keys_that_are_none_are_refused(self, keyring, field, text):
        self.refuse(keyring, **{field: text})

    @pytest.mark.parametrize("point", [0, 1, FIELD - 1, FIELD, FIELD + 1, 2**255 + 9])
    def test_points_of_low_order_and_second_spellings_are_no_sealing_keys(self, keyring, point):
        self.refuse(keyring, seal=point.to_bytes(32, "little").hex())

    @pytest.mark.parametrize(
        "text",
        [
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        ],
    )
    def test_points_of_order_eight_are_no_sealing_keys(self, keyring, text):
        self.refuse(keyring, seal=text)

    @pytest.mark.parametrize("point", [0, 1, FIELD - 1, FIELD, FIELD + 1, 2**255, 2**255 + 1])
    def test_points_of_low_order_are_no_signing_keys(self, keyring, point):
        self.refuse(keyring, sign=point.to_bytes(32, "little").hex())

    @pytest.mark.parametrize("version", [0, 2, "1", None])
    def test_another_version_is_refused(self, keyring, version):
        self.refuse(keyring, version=version)

    @pytest.mark.parametrize("text", ["", "[]", "{}", "null", "{]", " " * 5000])
    def test_what_is_no_card_is_refused(self, text):
        with pytest.raises(ValueRefused):
            read_card(text)

    def test_fields_are_exact(self, keyring):
        self.refuse(keyring, more="x")
        text = format_card(keyring.create("bob", "client"))
        with pytest.raises(ValueRefused, match="twice"):
            read_card(text.replace('"name"', '"role": "viewer", "name"'))
        with pytest.raises(ValueRefused):
            read_card(text.replace('"role": "client",', ""))

    def refuse(self, keyring, **changes):
        fields = json.loads(format_card(keyring.create("ada", "client")))
        with pytest.raises(ValueRefused):
            read_card(json.dumps({**fields, **changes}))
