"""The modules of scripts, through a real host: loopback servers, real files, real links."""

import gzip
import os
import socket
import threading

import pytest

from corbie.adapters.scripts.host import ProcessScriptHost
from corbie.domain.orders import Layer
from tests.contract.script_orders import WallClock, pour, run_script, serving, swap_link

PAGE = (
    b"<html><head><title>Hello &amp; more</title></head>"
    b"<body><p class=a id=x>One <b>two</b></p></body>"
)
GUARD = "const tryIt = (f) => { try { return f() } catch (e) { return [e.code, e.message] } };\n"


@pytest.fixture(scope="module")
def host():
    host = ProcessScriptHost(clock=WallClock(), environment={"COLOUR": "red", "HIDDEN": "x"})
    yield host
    host.close()


@pytest.fixture
def site():
    answers = {
        "/": (200, {"Content-Type": "text/html"}, PAGE),
        "/json": (200, {}, b'{"a": [1]}'),
        "/latin": (200, {"Content-Type": "text/plain; charset=latin-1"}, b"caf\xe9"),
        "/zip": (200, {"Content-Encoding": "gzip"}, gzip.compress(b"packed")),
        "/gone": (404, {}, b"not here"),
    }
    with serving(answers) as server:
        server.answers["/here"] = (302, {"Location": "/json"}, b"")
        server.answers["/loop"] = (302, {"Location": "/loop"}, b"")
        yield server


def at(server, path="/", host="127.0.0.1"):
    return f"http://{host}:{server.server_port}{path}"


def net(server, host="127.0.0.1"):
    return f"net:{host}:{server.server_port}"


def output(host, source, allow=(), **more):
    outcome, _ = run_script(host, GUARD + source, allow, **more)
    assert outcome.status == "done", outcome
    return outcome.output


class TestHttp:
    def test_the_title_example(self, host, site):
        source = """const page = require("http").get(input.url);
            const doc = require("html").parse(page.body);
            return { title: doc.find("title").text, url: input.url }"""

        given = {"url": at(site)}

        assert output(host, source, [net(site)], given=given) == {
            "title": "Hello & more",
            "url": given["url"],
        }

    def test_an_answer_has_status_headers_body_bytes_and_json(self, host, site):
        source = """const { get } = require("http");
            const a = get(input + "/json"), b = get(input + "/latin"), c = get(input + "/gone");
            return [a.ok, a.json().a, [...b.bytes], b.body, c.status, c.ok, c.body,
                get(input + "/zip").body, a.headers["content-length"], [...a.bytes].length]"""

        assert output(host, source, [net(site)], given=at(site, "")) == [
            *(True, [1], [99, 97, 102, 233], "caf\u00e9", 404, False, "not here"),
            *("packed", "10", 10),
        ]

    def test_bodies_are_text_bytes_json_or_form(self, host, site):
        source = """const { post } = require("http");
            return [{ body: "t" }, { body: new Uint8Array([104, 105]) }, { json: { a: 1 } },
                { form: { a: "b c" } }].map((one) => post(input, one).body)"""

        assert output(host, source, [net(site)], given=at(site)) == [
            "- t",
            "- hi",
            'application/json {"a": 1}',
            "application/x-www-form-urlencoded a=b+c",
        ]

    def test_queries_and_redirects(self, host, site):
        source = """const { get } = require("http");
            return [get(input + "/here", { query: { q: "a b" } }).url,
                get(input + "/here", { redirects: 0 }).status,
                tryIt(() => get(input + "/loop", { redirects: 3 }))[0]]"""

        assert output(host, source, [net(site)], given=at(site, "")) == [
            *(at(site, "/json"), 302, "failed"),
        ]

    def test_a_redirect_to_a_host_that_is_not_allowed_is_denied_and_not_made(self, host, site):
        with serving({"/": (200, {}, b"secret")}) as other:
            site.answers["/away"] = (302, {"Location": at(other)}, b"")

            outcome, _ = run_script(
                host, "return require('http').get(input).body", [net(site)], given=at(site, "/away")
            )

        assert (outcome.status, outcome.refused) == ("denied", net(other))
        assert other.seen == []

    @pytest.mark.parametrize("allow", [["net"], ["net:*.example.com"], []])
    def test_loopback_is_open_only_to_who_names_it(self, host, site, allow):
        outcome, _ = run_script(host, "require('http').get(input)", allow, given=at(site))

        assert (outcome.status, outcome.refused) == ("denied", net(site))
        assert site.seen == []

    def test_localhost_is_named_as_localhost(self, host, site):
        given = at(site, "/json", "localhost")

        assert output(
            host, "return require('http').get(input).ok", [net(site, "localhost")], given=given
        )

    def test_a_metadata_address_is_refused_before_anything_is_sent(self, host):
        outcome, _ = run_script(host, "require('http').get('http://169.254.169.254/')", ["net"])

        assert outcome.refused == "net:169.254.169.254:80"

    def test_errors_carry_a_code(self, host):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            source = """const { get } = require("http");
                return [() => get("http://127.0.0.1:1/"), () => get(input, { timeout: 100 }),
                    () => get("ftp://127.0.0.1/"), () => get("http://"), () => get(7),
                    () => get("http://no-such-host.invalid/"), () => get(input, { metod: 1 }),
                ].map((one) => tryIt(one)[0])"""
            allow = ["net:127.0.0.1:1", f"net:127.0.0.1:{port}", "net:no-such-host.invalid"]

            codes = output(host, source, allow, given=f"http://127.0.0.1:{port}/")

        assert codes[:5] == ["refused", "timeout", "bad_input", "bad_input", "bad_input"]
        assert codes[5:] == ["not_found", "bad_input"]

    def test_an_answer_that_never_ends_is_bounded(self, host):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            threading.Thread(target=pour, args=(server,), daemon=True).start()
            source = "return tryIt(() => require('http').get(input))"

            found = output(
                host, source, [f"net:127.0.0.1:{port}"], given=f"http://127.0.0.1:{port}/"
            )

        assert found[0] == "failed"
        assert "64 MiB" in found[1]

    def test_a_download_streams_to_a_file_and_needs_both_permissions(self, host, site, tmp_path):
        given = [at(site, "/json"), str(tmp_path / "got")]
        source = "return require('http').download(...input).size"

        outcome, _ = run_script(host, source, [net(site)], given=given)
        assert outcome.refused == f"fs.write:{tmp_path}/got"

        allow = [net(site), f"fs.write:{tmp_path}/*"]
        assert output(host, source, allow, given=given) == 10
        assert (tmp_path / "got").read_bytes() == b'{"a": [1]}'


class TestHtml:
    def test_elements(self, host):
        source = """const { parse, escape } = require("html");
            const doc = parse(input), p = doc.find("p.a");
            return [p.text, p.html, p.attr("id"), p.attr("none"), p.attrs,
                p.children.map(c => c.text),
                p.children[0].parent.attr("id"), doc.all("p, b").length, doc.find("i"),
                escape("<a b='c'>&")]"""

        assert output(host, source, given=PAGE.decode()) == [
            "One two",
            '<p class="a" id="x">One <b>two</b></p>',
            "x",
            None,
            {"class": "a", "id": "x"},
            ["two"],
            "x",
            2,
            None,
            "&lt;a b=&#39;c&#39;&gt;&amp;",
        ]

    def test_what_is_no_selector_or_output_says_so(self, host):
        source = """const doc = require("html").parse("<p>");
            return [tryIt(() => doc.find("p[["))[0], tryIt(() => require("html").parse(1))[0]]"""

        assert output(host, source) == ["bad_input", "bad_input"]
        outcome, _ = run_script(host, "return require('html').parse('<p>').find('p')")
        assert "write its .text" in outcome.error


class TestFiles:
    def test_files_are_read_and_written(self, host, tmp_path):
        source = """const fs = require("fs"), at = (name) => input + "/" + name;
            fs.mkdir(at("a/b")); fs.write(at("a/b/x.txt"), "é\\n"); fs.append(at("a/b/x.txt"), "2");
            fs.write(at("bin"), new Uint8Array([0, 255])); fs.copy(at("bin"), at("a/copy"));
            fs.move(at("bin"), at("a/moved")); fs.write(at("a/gone"), ""); fs.remove(at("a/gone"));
            return [fs.read(at("a/b/x.txt")), [...fs.readBytes(at("a/copy"))], fs.list(at("a")),
                fs.walk(input).map((one) => one.type + one.path.slice(input.length) + one.size),
                fs.glob(at("**/*.txt")).length, fs.exists(at("bin")), fs.stat(at("a")).type,
                fs.stat(at("a/copy")).size, fs.remove(at("a")), fs.remove(at("a"))]"""

        found = output(host, source, ["disk"], given=str(tmp_path))

        found[3] = [one for one in found[3] if one.startswith("file")]
        assert found == [
            *("\u00e9\n2", [0, 255], ["b", "copy", "moved"]),
            ["file/a/b/x.txt4", "file/a/copy2", "file/a/moved2"],
            *(1, False, "folder", 2, True, False),
        ]
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("call", "refused"),
        [
            ("read(input + '/link')", "fs.read:{out}/secret"),
            ("read(input + '/folder/secret')", "fs.read:{out}/secret"),
            ("read(input + '/in/../../out/secret')", "fs.read:{out}/secret"),
            ("exists(input + '/folder/none')", "fs.read:{out}/none"),
            ("list(input + '/folder')", "fs.read:{out}"),
            ("write(input + '/link', 'x')", "fs.write:{out}/secret"),
            ("write(input + '/folder/new', 'x')", "fs.write:{out}/new"),
            ("append(input + '/link', 'x')", "fs.write:{out}/secret"),
            ("mkdir(input + '/folder/new')", "fs.write:{out}/new"),
            ("remove(input + '/folder/secret')", "fs.write:{out}/secret"),
            ("move(input + '/in', input + '/folder/in')", "fs.write:{out}/in"),
            ("copy(input + '/link', input + '/copy')", "fs.read:{out}/secret"),
        ],
    )
    def test_a_link_that_leads_out_is_refused(self, host, tmp_path, call, refused):
        inside, out = tmp_path / "inside", tmp_path / "out"
        (inside / "in").mkdir(parents=True)
        out.mkdir()
        (out / "secret").write_text("kept")
        (inside / "link").symlink_to(out / "secret")
        (inside / "folder").symlink_to(out)
        allow = [f"fs.read:{inside}/**", f"fs.write:{inside}/**"]

        outcome, _ = run_script(host, f"return require('fs').{call}", allow, given=str(inside))

        assert (outcome.status, outcome.refused) == ("denied", refused.format(out=out))
        assert sorted(one.name for one in out.iterdir()) == ["secret"]
        assert (out / "secret").read_text() == "kept"

    def test_a_link_that_isswap_linkped_all_the_time_never_leads_out(self, host, tmp_path):
        inside, out = tmp_path / "inside", tmp_path / "out"
        for folder in (inside / "real", out):
            folder.mkdir(parents=True)
            (folder / "file").write_text(folder.name)
        stop = threading.Event()
        swapper = threading.Thread(target=swap_link, args=(inside, out, stop))
        swapper.start()
        source = """for (let i = 0; i < 300; i++) {
            tryIt(() => log(require("fs").read(input + "/at/file"))) }"""

        said = []
        for _ in range(40):
            outcome, more = run_script(
                host, GUARD + source, [f"fs.read:{inside}/**"], given=str(inside)
            )
            said += more
            assert outcome.status in {"done", "denied"}
        stop.set()
        swapper.join()

        assert {one.value for one in said} <= {"real"}

    def test_removing_and_moving_a_tree_asks_for_all_of_it(self, host, tmp_path):
        (tmp_path / "a" / "keep").mkdir(parents=True)
        layer = Layer(says="it", fix="", allow=("disk",), deny=(f"fs.write:{tmp_path}/a/keep",))

        for call in ("remove(input + '/a')", "move(input + '/a', input + '/b')"):
            outcome, _ = run_script(
                host, f"require('fs').{call}", layers=(layer,), given=str(tmp_path)
            )
            assert outcome.refused == f"fs.write:{tmp_path}/a/keep"

        assert (tmp_path / "a" / "keep").is_dir()

    def test_a_walk_leaves_out_what_may_not_be_read(self, host, tmp_path):
        for name in ("open", "shut"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "x").touch()
        layer = Layer(says="it", fix="", allow=("disk",), deny=(f"fs.read:{tmp_path}/shut/**",))

        source = "return require('fs').walk(input).map((one) => one.path.slice(input.length))"
        outcome, _ = run_script(host, source, layers=(layer,), given=str(tmp_path))

        assert outcome.output == ["/open", "/open/x"]

    def test_errors_carry_a_code(self, host, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
        (tmp_path / "odd").write_bytes(b"\xff")
        source = """const fs = require("fs"), at = (name) => input + "/" + name;
            return [() => fs.read(at("none")), () => fs.read(input), () => fs.read(at("pipe")),
                () => fs.read("relative"), () => fs.read(at("odd")), () => fs.write(at("no/x"), ""),
                () => fs.write(at("dangling"), ""), () => fs.write(at("x"), 7),
                () => fs.read("/\\0"),
                () => fs.stat(at("none")), () => fs.list(at("odd")), () => fs.glob("x/*"),
                () => fs.read("/proc/self/fd/3"), () => fs.write(input, "x"),
            ].map((one) => tryIt(one)[0])"""

        assert output(host, source, ["disk"], given=str(tmp_path)) == [
            *("not_found", "bad_input", "bad_input", "bad_input", "bad_input", "not_found"),
            *("failed", "bad_input", "bad_input", "not_found", "bad_input", "bad_input"),
            *("bad_input", "bad_input"),
        ]

    def test_a_write_replaces_whole_and_keeps_the_mode(self, host, tmp_path):
        file = tmp_path / "file"
        file.write_text("before")
        file.chmod(0o640)

        output(host, "require('fs').write(input, 'after')", ["disk"], given=str(file))

        assert file.read_text() == "after"
        assert file.stat().st_mode & 0o777 == 0o640
        assert [one.name for one in tmp_path.iterdir()] == ["file"]


class TestOthers:
    def test_programs(self, host, tmp_path):
        source = """const { run } = require("exec");
            return [run("sh", ["-c", "cat; echo $A >&2; exit 3"],
                    { input: "in", env: { A: "b" }, check: false }),
                run("sh", ["-c", "pwd"], { cwd: input }).stdout.trim(),
                ...[() => run("sh", ["-c", "echo no >&2; exit 4"]),
                    () => run("sh", ["-c", "sleep 60"], { timeout: 100 }),
                    () => run("no-such-program"), () => run("./sh"), () => run("sh", [{}]),
                ].map(tryIt),
                run("sh", ["-c", "sleep 60 & echo up"]).stdout]"""
        allow = ["exec:sh", "exec:no-such-program", f"fs.read:{tmp_path}"]

        found = output(host, source, allow, given=str(tmp_path))

        assert found[:2] == [{"code": 3, "stdout": "in", "stderr": "b\n"}, str(tmp_path)]
        assert found[2] == ["failed", "sh ended with 4: no"]
        assert [one[0] for one in found[3:-1]] == ["timeout", "not_found", "bad_input", "bad_input"]
        assert found[-1] == "up\n"

    @pytest.mark.parametrize("program", ["/bin/no", "cat", "/tmp/../bin/cat"])
    def test_another_program_is_denied(self, host, program):
        outcome, _ = run_script(host, "require('exec').run(input)", ["exec:sh"], given=program)

        assert outcome.status == "denied"
        assert outcome.refused.startswith("exec:")

    def test_variables(self, host):
        source = (
            "const { get } = require('env'); return [get('COLOUR'), get('CO_', 7), get('CO_X')]"
        )

        assert output(host, source, ["env:CO*"]) == ["red", 7, None]
        outcome, _ = run_script(host, "return require('env').get('HIDDEN')", ["env:CO*"])
        assert outcome.refused == "env:HIDDEN"

    def test_json(self, host):
        source = """const json = require("json");
            return [json.parse('{"a":1}'), json.format({ a: [1] }, 1),
                tryIt(() => json.parse("{"))[0],
                tryIt(() => json.format(() => 1))[0]]"""

        assert output(host, source) == [
            {"a": 1},
            '{\n "a": [\n  1\n ]\n}',
            "bad_input",
            "bad_input",
        ]
