"""What is read: bad lines, keys, files of all kinds, hostile ones among them."""

import gzip
import json

import pytest
from conftest import events, until

GROUP = 'printf "%s\\n" "$FAIRLANE_GROUP"'


def groups_of(run, lines, group_by="g"):
    """The groups under which a single worker hands the lines out."""
    ended = run("--workers", 1, "--", "sh", "-c", GROUP, input=lines, group_by=group_by)
    assert ended.status == 0, ended.err
    return ended.out.decode().splitlines()


@pytest.mark.parametrize("bad", [
    b"no json", b"", b" ", b'{"g":1', b'{"g":1}}', b'{"g":1} {"g":2}', b"[1]", b'"g"', b"7", b"null",
    b'{"h":1}', b'{"g":null}', b'{"g":true}', b'{"g":[1]}', b'{"g":{"g":1}}', b'{"g":"\xff"}',
    b'{"g":"\\ud800"}', b"{'g':1}", b'{"g":01}', b'{"g":NaN}', b"\x00", b'{"g":1}\x00', b'{"g":"a\x00b"}',
])  # fmt: skip
def test_a_bad_line_ends_reading_and_what_was_read_is_finished(run, bad):
    run.write("in.jsonl", b'{"g":1}\n{"g":2}\n' + bad + b'\n{"g":3}\n')
    ended = run("--results", "results", "in.jsonl", "--", "true")
    assert ended.status == 2
    assert "fairlane: in.jsonl:3: bad line: " in ended.err
    assert sorted(each["group"] for each in run.results()) == ["1", "2"]


@pytest.mark.parametrize("priority", [
    "2147483648", "-2147483649", "1.5", "1.0", "1e3", '"1"', "null", "true", "[]", "{}",
    "99999999999999999999999",
])  # fmt: skip
def test_a_priority_that_is_no_32_bit_integer_makes_a_bad_line(run, priority):
    run.write("in", b'{"g":1,"p":' + priority.encode() + b"}\n")
    ended = run("--priority-by", "p", "in", "--", "true")
    assert ended.status == 2
    assert 'in:1: bad line: its "p" is no 32-bit integer' in ended.err


def test_priorities_of_the_whole_range_and_absent_ones_are_taken(run):
    lines = b'{"g":1,"p":2147483647}\n{"g":2,"p":-2147483648}\n{"g":3}\n'
    ended = run("--priority-by", "p", "--", "true", input=lines)
    assert (ended.status, ended.summary()["done"]) == (0, 3)


def test_a_bad_line_of_standard_input_is_named_so(run):
    ended = run("--", "true", input=b'{"g":1}\nbad\n')
    assert ended.status == 2
    assert "standard input:2: bad line" in ended.err


def test_a_bad_line_of_the_second_file_names_that_file(run):
    run.write("a", events(3))
    run.write("b", b'{"g":1}\nbad\n')
    run.write("c", events(3))
    ended = run("a", "b", "c", "--", "true")
    assert (ended.status, ended.summary()["done"]) == (2, 4)
    assert "fairlane: b:2: bad line" in ended.err


def test_bad_lines_are_skipped_written_and_counted(run):
    bad = [b"no json", b"", b'{"h":1}', b'{"g":"\xff"}', b"\x00\x01"]
    run.write("in", b'{"g":1}\n' + b"\n".join(bad) + b'\n{"g":2}\n')
    ended = run("--skip-bad", "bad", "in", "--", "true")
    assert ended.status == 0
    assert run.read("bad") == b"\n".join(bad) + b"\n"
    assert (ended.summary()["done"], ended.summary()["bad"]) == (2, 5)


def test_numbers_and_strings_are_one_group(run):
    lines = b'{"g":1}\n{"g":"1"}\n{"g":1.50}\n{"g":"1.50"}\n{"g":-0}\n'
    ended = run("--workers", 1, "--", "sh", "-c", GROUP, input=lines)
    assert sorted(ended.out.split()) == [b"-0", b"1", b"1", b"1.50", b"1.50"]
    assert ended.summary()["groups"] == 3


def test_a_large_number_keeps_its_digits(run):
    digits = "123456789012345678901234567890"
    assert groups_of(run, f'{{"g":{digits}}}'.encode()) == [digits]
    assert groups_of(run, b'{"g":18446744073709551615}') == ["18446744073709551615"]


def test_an_empty_group_and_odd_ones_are_groups(run):
    odd = ["", " ", "a b", "ä", "\\", "=", "-", "$HOME", "k" * 1024]
    lines = "".join(json.dumps({"g": group}) + "\n" for group in odd).encode()
    assert sorted(groups_of(run, lines)) == sorted(odd)


def test_a_group_that_is_too_long_makes_a_bad_line(run):
    ended = run("--", "true", input=json.dumps({"g": "k" * 1025}).encode())
    assert ended.status == 2
    assert "its group has 1025 bytes, more than 1024" in ended.err


def test_a_group_with_a_nul_makes_a_bad_line_in_exec_mode(run):
    ended = run("--", "true", input=b'{"g":"a\\u0000b"}')
    assert ended.status == 2
    assert "NUL" in ended.err


@pytest.mark.parametrize("key, event, group", [
    ("a.b", '{"a":{"b":"deep"}}', "deep"),
    ("a.b", '{"a":{"b":"deep"},"a.b":"flat"}', "flat"),
    ("a.1", '{"a":["x","y"]}', "y"),
    ("/a/b", '{"a":{"b":"deep"},"/a/b":"flat"}', "deep"),
    ("/a/1/b", '{"a":[0,{"b":"in a list"}]}', "in a list"),
    ("/a~1b/~0", '{"a/b":{"~":"escaped"}}', "escaped"),
    ("/", '{"":"empty"}', "empty"),
    ("a b", '{"a b":"blank"}', "blank"),
    ("g", '{"g":"first","g":"last"}', "last"),
    ("g", '{"x":{"g":"inner"},"g":"outer"}', "outer"),
])  # fmt: skip
def test_keys_are_top_level_dotted_or_pointers(run, key, event, group):
    assert groups_of(run, event.encode(), group_by=key) == [group]


def test_a_malformed_pointer_is_wrong_usage(run):
    ended = run("--", "touch", "started", input=b'{"a":1}', group_by="/a~2")
    assert ended.status == 2
    assert "/a~2" in ended.err
    assert not (run.folder / "started").exists()


def test_gzip_is_told_by_its_bytes_not_by_its_name(run):
    run.write("in.jsonl", gzip.compress(events(5)))
    run.write("in.gz", events(5))
    ended = run("in.jsonl", "in.gz", "--", "true")
    assert (ended.status, ended.summary()["done"]) == (0, 10)


def test_concatenated_gzip_is_one_text(run):
    text = events(2000, groups=3)
    middle = len(text) // 2  # in the middle of a line
    parts = [text[:middle], b"", text[middle:]]
    run.write("in.gz", b"".join(map(gzip.compress, parts)))
    ended = run("--workers", 1, "--mode", "lines", "in.gz", "--", *run.handler(ANSWER_DONE))
    assert (ended.status, ended.summary()["done"]) == (0, 2000)


ANSWER_DONE = """
import sys, json
for line in sys.stdin:
    print(json.dumps({"seq": json.loads(line)["seq"], "result": "done"}), flush=True)
"""


def test_gzip_on_standard_input_works(run):
    ended = run("--", "true", input=gzip.compress(events(3)))
    assert (ended.status, ended.summary()["done"]) == (0, 3)


def test_truncated_gzip_is_told_and_what_came_whole_is_finished(run):
    packed = gzip.compress(events(3)) + gzip.compress(events(4))[:-6]
    run.write("cut.gz", packed)
    ended = run("cut.gz", "--", "true")
    assert ended.status == 2
    assert "cut.gz: gzip data end in the middle" in ended.err
    assert ended.summary()["done"] >= 3


def test_damaged_gzip_is_told(run):
    packed = bytearray(gzip.compress(events(500)))
    packed[len(packed) // 2] ^= 0xFF
    run.write("bad.gz", bytes(packed))
    ended = run("--limit", 1000, "bad.gz", "--", "true")
    assert ended.status == 2
    assert "bad.gz" in ended.err


def test_several_files_and_standard_input_are_read_in_turn(run):
    run.write("a", b'{"g":"k","n":1}')  # no line end: the next file starts a new line
    run.write("b.gz", gzip.compress(b'{"g":"k","n":2}\n'))
    run.write("c", b'{"g":"k","n":4}\n')
    ended = run("a", "b.gz", "-", "c", "--", "cat", input=b'{"g":"k","n":3}')
    assert ended.status == 0
    assert [json.loads(line)["n"] for line in ended.out.splitlines()] == [1, 2, 3, 4]


def test_a_missing_file_is_told_and_what_was_read_is_finished(run):
    run.write("a", events(2))
    ended = run("a", "missing", "--", "true")
    assert (ended.status, ended.summary()["done"]) == (2, 2)
    assert ended.err.count("missing: ") == 1


def test_a_folder_is_no_input(run):
    ended = run(run.folder, "--", "true")
    assert ended.status == 2
    assert str(run.folder) in ended.err


def test_line_ends_of_windows_are_part_of_the_line(run):
    ended = run("--", "cat", input=b'{"g":1}\r\n{"g":1}\r\n')
    assert (ended.status, ended.out) == (0, b'{"g":1}\r\n{"g":1}\r\n')


@pytest.mark.parametrize("empty", [b"", gzip.compress(b"")])
def test_empty_input_is_done_at_once(run, empty):
    run.write("empty", empty)
    ended = run("empty", "--", "false")
    assert ended.status == 0
    assert ended.summary()["events"] == 0


def test_an_event_is_handled_while_more_input_is_waited_for(run):
    running = run.start("--", "sh", "-c", 'touch "$FAIRLANE_GROUP"')
    for group in ("first", "second"):
        running.feed(f'{{"g":"{group}"}}\n'.encode())
        until((run.folder / group).exists, f"the event of {group}")
    running.process.stdin.close()
    assert running.ends().status == 0


@pytest.mark.parametrize("depth", [1001, 1_000_000])
def test_deep_nesting_makes_a_bad_line(run, depth):
    line = b'{"g":1,"x":' + b"[" * depth + b"]" * depth + b"}"
    ended = run("--", "true", input=line)
    assert ended.status == 2
    assert "standard input:1: bad line: nested deeper than 1000 levels" in ended.err


def test_nesting_up_to_the_limit_is_fine(run):
    line = b'{"g":1,"x":' + b"[" * 999 + b"]" * 999 + b"}"
    assert run("--", "true", input=line).status == 0


def test_a_line_of_100_mb_is_an_event_like_any_other(run):
    with open(run.folder / "in", "wb") as file:
        file.write(b'{"g":"A","x":"' + b"x" * 100_000_000 + b'"}\n{"g":"A"}\n')
    ended = run("in", "--", "sh", "-c", "wc -c")
    assert ended.status == 0, ended.err
    assert ended.out.split() == [b"100000017", b"10"]


def test_binary_rubbish_is_one_bad_line_after_another(run):
    rubbish = bytes(range(256)).replace(b"\n", b"") * 40
    lines = [rubbish[i : i + 97] for i in range(0, len(rubbish), 97)]
    ended = run("--skip-bad", "bad", "--", "true", input=b"\n".join(lines) + b"\n")
    assert ended.status == 0
    assert run.read("bad").splitlines() == b"\n".join(lines).splitlines()
    assert ended.summary()["bad"] == len(lines)


def test_invalid_utf_8_outside_the_group_is_bad_json_too(run):
    ended = run("--", "true", input=b'{"g":1,"x":"\xc3("}')
    assert ended.status == 2
    assert "bad line" in ended.err
