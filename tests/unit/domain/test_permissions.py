"""Entries, what they cover, and what layers decide."""

import itertools

import pytest

from corbie.domain.addresses import reach_of
from corbie.domain.errors import ValueRefused
from corbie.domain.permission_paths import covers_path, matches_path, parse_path_scope
from corbie.domain.permissions import (
    ConnectionWanted,
    Layer,
    NameWanted,
    PathWanted,
    ProgramWanted,
    covers,
    decide,
    format_entry,
    parse_entry,
)

HOME = "/home/ada"


def layer(*allow, deny=(), says="the job", fix="add {entry} to the allow list of that job"):
    return Layer(says=says, fix=fix, allow=allow, deny=deny)


def refused(wanted, *layers):
    found = decide(layers, wanted, home=HOME)
    return None if found is None else found.refused


def connection(host, port=443, address=None):
    return ConnectionWanted(host=host, port=port, address=address)


def reading(path):
    return PathWanted(kind="fs.read", path=path)


class TestParsing:
    @pytest.mark.parametrize(
        "text",
        [
            "net",
            "net:example.com",
            "net:*.example.com:8080",
            "net:[::1]:80",
            "net:[fd00::/8]:80",
            "net:10.0.0.0/8:5432",
            "fs.read:/srv/**/a*b/*.txt",
            "fs.read:/",
            "fs.write:~",
            "fs.write:~/notes/**",
            r"fs.write:/a\*\\b",
            "exec:git",
            "exec:/usr/bin/git",
            "env:AWS_*",
            "model:anthropic/*",
            "archive:photos",
            "disk",
            "all",
        ],
    )
    def test_an_entry_is_written_as_it_was_read(self, text):
        assert format_entry(parse_entry(text)) == text

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("nett:x", 'did you mean "net"?'),
            ("fs.reed:/x", 'did you mean "fs.read"?'),
            ("teapot", "write one of net, fs.read"),
            ("net:", "write net alone"),
            ("all:x", "takes no scope"),
            ("net:http://example.com", "is no port"),
            ("net:::1", "in brackets"),
            ("net:example.com:0", "from 1 to 65535"),
            ("net:example.com:65536", "from 1 to 65535"),
            ("net:*", "write net for any"),
            ("net:ex*mple.com", "only at its start"),
            ("net:127.1", "is no host"),
            ("net:0x7f000001", "is no host"),
            ("net:stra\u00dfe.de", "xn-- form"),
            ("net:10.0.0.1/8", "write the first address"),
            ("net:10.0.0.0/33", "how many|as many bits"),
            ("fs.read:srv", "begin it with / or ~/"),
            ("fs.read:~bob/x", "begin it with / or ~/"),
            ("fs.read:/a//b", "empty, . or .. segment"),
            ("fs.read:/a/../b", "empty, . or .. segment"),
            ("fs.read:/a/", "empty, . or .. segment"),
            ("fs.read:/a**", "stands alone between slashes"),
            ("fs.read:/a\\b", "a backslash in a scope"),
            ("fs.read:/a\nb", "control character"),
            ("exec:/usr/*", "without \\*"),
            ("exec:a b", "no scope of exec"),
            ("env:A-B", "no scope of env"),
            ("env:*", "no scope of env"),
            ("model:gpt", "provider/name"),
            ("archive:a/b", "a collection's name"),
        ],
    )
    def test_another_text_is_refused_with_what_to_write(self, text, says):
        with pytest.raises(ValueRefused, match=says):
            parse_entry(text)

    def test_hosts_are_compared_in_small_ascii_letters(self):
        assert (
            refused(connection("b\u00fccher.example."), layer("net:XN--BCHER-KVA.example")) is None
        )


class TestCovering:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("all", "net:x.com"),
            ("disk", "fs.write:/a"),
            ("all", "disk"),
            ("net", "net:x.com:99"),
            ("net:x.com", "net:x.com:80"),
            ("net:*.x.com", "net:a.b.x.com"),
            ("net:*.x.com", "net:*.b.x.com"),
            ("net:10.0.0.0/8", "net:10.1.0.0/16:443"),
            ("fs.read:/a/**", "fs.read:/a"),
            ("fs.read:/a/**", "fs.read:/a/*/b"),
            ("fs.read:/**/*", "fs.read:/a/**/b"),
            ("fs.read:/*a*", "fs.read:/ba*"),
            ("fs.read:/**", "fs.read:~/x"),
            ("fs.read:~/**", "fs.read:~/x/*"),
            ("env:A_*", "env:A_B*"),
            ("model:a/*", "model:a/b"),
            ("exec", "exec:git"),
        ],
    )
    def test_what_opens_more_covers(self, one, other):
        assert covers(parse_entry(one), parse_entry(other))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("disk", "all"),
            ("net:x.com", "net"),
            ("net:x.com:80", "net:x.com"),
            ("net:*.x.com", "net:x.com"),
            ("net:*.x.com", "net:ax.com"),
            ("net:x.com", "net:*.x.com"),
            ("net:10.1.0.0/16", "net:10.0.0.0/8"),
            ("fs.read:/a", "fs.write:/a"),
            ("fs.read:/a/*", "fs.read:/a"),
            ("fs.read:/a/*", "fs.read:/a/**"),
            ("fs.read:/a/**/b", "fs.read:/**/b"),
            (r"fs.read:/\*", "fs.read:/*"),
            ("fs.read:/*/**", "fs.read:~/x"),
            ("env:A_B", "env:A_*"),
            ("exec:git", "exec:/usr/bin/git"),
        ],
    )
    def test_what_opens_less_or_other_does_not(self, one, other):
        assert not covers(parse_entry(one), parse_entry(other))

    def test_home_is_covered_once_it_is_known(self):
        one, other = parse_entry("fs.read:/home/*/**"), parse_entry("fs.read:~/x")

        assert covers(one, other, home=HOME)
        assert not covers(one, other)

    def test_covering_agrees_with_matching_on_every_short_path(self):
        segments = ("a", "*", "a*", "*b", "**")
        scopes = [
            "/" + "/".join(two) for n in (1, 2) for two in itertools.product(segments, repeat=n)
        ]
        names = ("a", "b", "ab", "ba", "c")
        paths = ["/"] + [
            "/" + "/".join(some) for n in (1, 2, 3) for some in itertools.product(names, repeat=n)
        ]
        patterns = {scope: parse_path_scope(scope) for scope in scopes}
        opened = {
            scope: {path for path in paths if matches_path(pattern, path)}
            for scope, pattern in patterns.items()
        }

        for one, other in itertools.product(scopes, repeat=2):
            by_sample = opened[other] <= opened[one]
            assert covers_path(patterns[one], patterns[other]) == by_sample, (one, other)


class TestDeciding:
    def test_every_layer_must_allow(self):
        wide, narrow = layer("all"), layer("net:example.com", says="the definition")

        assert decide([wide, narrow], connection("example.com"), home=HOME) is None
        refusal = decide([wide, narrow], connection("other.com"), home=HOME)
        assert refusal is not None
        assert refusal.refused == "net:other.com:443"
        assert refusal.layer == "the definition"
        assert refusal.fix == "add net:other.com:443 to the allow list of that job"

    def test_a_layer_without_a_list_allows_what_it_does_not_deny(self):
        open_layer = Layer(says="the runner", fix="", allow=None, deny=("exec:git",))

        assert refused(ProgramWanted(path="/usr/bin/ls", name="ls"), open_layer) is None
        assert (
            refused(ProgramWanted(path="/srv/bin/git", name=None), open_layer)
            == "exec:/srv/bin/git"
        )

    def test_a_denial_wins_and_says_what_to_remove(self):
        layers = [layer("all"), layer("all", deny=("fs.read:/srv/keep/**",), says="the flow")]

        refusal = decide(layers, reading("/srv/keep/x"), home=HOME)

        assert refusal is not None
        assert refusal.fix == "remove fs.read:/srv/keep/** from the deny list of the flow"

    def test_adding_the_entry_that_was_refused_is_enough(self):
        wanted = [
            connection("::1", 8080, "::1"),
            connection("example.com", 443, "127.0.0.1"),
            connection("example.com", 443, "169.254.169.254"),
            connection("a.example.com", 443, "10.0.0.7"),
            reading("/a*/\\b"),
            ProgramWanted(path="/srv/x y", name=None),
            NameWanted(kind="env", name="HOME"),
        ]

        for one in wanted:
            entries = ["net:*.example.com"]
            while (lacking := refused(one, layer(*entries))) is not None:
                assert lacking not in entries
                entries.append(lacking)

    @pytest.mark.parametrize(
        ("entry", "host", "address", "lacking"),
        [
            ("net", "x.com", "93.184.216.34", None),
            ("net", "x.com", "10.0.0.1", "net:x.com:443"),
            ("net", "localhost", "127.0.0.1", "net:127.0.0.1:443"),
            ("net:*.x.com", "a.x.com", "192.168.0.1", "net:a.x.com:443"),
            ("net:x.com", "x.com", "192.168.0.1", None),
            ("net:x.com", "x.com", "127.0.0.1", "net:127.0.0.1:443"),
            ("net:x.com", "x.com", "::1", "net:[::1]:443"),
            ("net:x.com", "x.com", "::ffff:127.0.0.1", "net:[::ffff:127.0.0.1]:443"),
            ("net:x.com", "x.com", "64:ff9b::7f00:1", "net:[64:ff9b::7f00:1]:443"),
            ("net:localhost", "localhost", "127.0.0.1", None),
            ("net:localhost", "localhost", "::1", None),
            ("net:localhost", "localhost", "169.254.1.1", "net:169.254.1.1:443"),
            ("net:127.0.0.0/8", "127.0.0.1", "127.0.0.1", None),
            ("net:127.0.0.0/8", "localhost", "127.0.0.1", "net:localhost:443"),
            ("all", "x.com", "127.0.0.1", None),
        ],
    )
    def test_addresses_need_what_opens_them(self, entry, host, address, lacking):
        assert refused(connection(host, 443, address), layer(entry)) == lacking

    def test_without_a_port_an_entry_opens_two_and_a_denial_all(self):
        assert refused(connection("x.com", 80), layer("net:x.com")) is None
        assert refused(connection("x.com", 81), layer("net:x.com")) == "net:x.com:81"
        assert refused(connection("x.com", 81), layer("all", deny=("net:x.com",))) is not None

    def test_a_denied_network_holds_for_names_that_lead_into_it(self):
        inner = layer("all", deny=("net:10.0.0.0/8",))

        assert refused(connection("x.com", 443, "10.1.2.3"), inner) == "net:x.com:443"

    @pytest.mark.parametrize(
        ("entry", "path", "is_open"),
        [
            ("fs.read:/srv/**", "/srv", True),
            ("fs.read:/srv/**", "/srv/a/b", True),
            ("fs.read:/srv/**", "/srvx", False),
            ("fs.read:/srv/*", "/srv/a/b", False),
            ("fs.read:/srv/*.txt", "/srv/.txt", True),
            ("fs.read:~/x", "/home/ada/x", True),
            (r"fs.read:/a/\*", "/a/b", False),
            (r"fs.read:/a/\*", "/a/*", True),
            ("fs.write:/srv/**", "/srv/a", False),
            ("disk", "/any", True),
        ],
    )
    def test_paths(self, entry, path, is_open):
        assert (refused(reading(path), layer(entry)) is None) == is_open

    def test_programs_by_name_and_by_path(self):
        git = ProgramWanted(path="/usr/bin/git", name="git")
        other = ProgramWanted(path="/tmp/git", name=None)

        assert refused(git, layer("exec:git")) is None
        assert refused(git, layer("exec:/usr/bin/git")) is None
        assert refused(other, layer("exec:git")) == "exec:/tmp/git"


@pytest.mark.parametrize(
    ("address", "reach"),
    [
        ("93.184.216.34", "public"),
        ("10.0.0.1", "private"),
        ("100.64.0.1", "private"),
        ("100.100.100.200", "special"),
        ("127.9.9.9", "special"),
        ("169.254.169.254", "special"),
        ("0.0.0.0", "special"),
        ("224.0.0.1", "special"),
        ("2606:2800:220:1::1", "public"),
        ("fd00::1", "private"),
        ("fd00:ec2::254", "special"),
        ("fe80::1", "special"),
        ("::", "special"),
        ("2002:7f00:1::", "special"),
        ("2002:5db8:d822::", "public"),
        ("fe80::1%eth0", "special"),
        ("nonsense", "special"),
    ],
)
def test_how_far_an_address_reaches(address, reach):
    assert reach_of(address) == reach
