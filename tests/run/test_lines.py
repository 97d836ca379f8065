"""lines mode: answers, and processes that break."""

import json
import signal

import pytest
from conftest import events, is_alive, until

# A well-behaved handler; what it does with an event stands in `answer`, what before all in `begin`.
WELL_BEHAVED = """
import json, os, sys, time
{begin}
def answer(e):
    a = {{"seq": e["seq"], "result": "done"}}
    {answer}
    return a
for line in iter(sys.stdin.readline, ""):
    e = json.loads(line)
    print(json.dumps(answer(e)), flush=True)
"""


def handler(run, answer="pass", begin=""):
    return run.handler(WELL_BEHAVED.format(begin=begin, answer=answer))


def lines(run, *arguments, command, input=None):
    return run("--mode", "lines", *arguments, "--", *command, input=input or b"")


def test_a_line_tells_group_seq_attempt_and_the_event_as_it_was_read(run):
    event = b'{"g":  "\\u00e4\\"", "x":[1,  2.50]}'
    # Appends each line to a file and answers it.
    keep = r"""tee -a got | sed -u 's/.*"seq":\([0-9]*\),.*/{"seq":\1,"result":"done"}/'"""
    command = ["sh", "-c", keep]
    ended = lines(run, "--workers", 1, command=command, input=event + b"\n")
    assert ended.status == 0, ended.err
    got = run.read("got")
    assert got.endswith(b',"event":' + event + b"}\n")
    told = json.loads(got)
    assert (told["group"], told["seq"], told["attempt"]) == ('ä"', 1, 1)


def test_done_retry_and_dead_are_answers(run):
    answer = """
    if e["seq"] == 1 and e["attempt"] < 3: a = {"seq": 1, "result": "retry", "delay_ms": 1}
    if e["seq"] == 2: a.update(result="dead", reason="no such account")
    """
    options = ["--results", "results", "--dead", "dead"]
    ended = lines(run, *options, command=handler(run, answer.strip()), input=events(6, groups=3))
    assert ended.status == 1
    assert ended.summary()["done"] == 5
    assert (ended.summary()["dead"], ended.summary()["retries"]) == (1, 2)
    (dead,) = [each for each in run.results() if each["result"] == "dead"]
    assert (dead["seq"], dead["reason"]) == (2, "no such account")
    assert run.read("dead") == events(2, groups=3).splitlines(True)[1]


@pytest.mark.parametrize("delay", ['"delay_ms": 200', '"delay_ms": 200.5', ""])
def test_a_retry_waits_as_long_as_it_says_or_else_the_retry_delay(run, delay):
    answer = f"""
    open("stamps", "a").write(f"{{time.time_ns()}}\\n")
    if e["attempt"] == 1: a = {{"seq": e["seq"], "result": "retry", {delay}}}
    """
    command = handler(run, answer.strip())
    ended = lines(run, "--retry-delay", "200ms", command=command, input=events(1))
    assert ended.status == 0, ended.err
    first, second = map(int, run.read("stamps").split())
    assert second - first >= 200_000_000


def test_retries_end_at_the_limit_of_attempts(run):
    command = handler(run, 'a = {"seq": e["seq"], "result": "retry", "delay_ms": 0}')
    ended = lines(run, "--max-attempts", 3, command=command, input=events(1))
    assert ended.status == 1
    assert (ended.summary()["retries"], ended.summary()["dead"]) == (2, 1)


def test_a_process_lives_on(run):
    begin = 'open("starts", "a").write(os.environ["FAIRLANE_WORKER"] + "\\n")'
    command = handler(run, begin=begin)
    ended = lines(run, "--workers", 2, command=command, input=events(500, groups=50))
    assert (ended.status, ended.summary()["done"]) == (0, 500)
    starts = run.read("starts").decode().split()
    assert len(starts) == len(set(starts)) <= 2


def test_groups_keep_their_order_in_lines_mode(run):
    keep = 'open(e["group"], "a").write(f"{e[\'event\'][\'n\']}\\n")'
    command = handler(run, keep)
    options = ["--workers", 4, "--window", 8]
    ended = lines(run, *options, command=command, input=events(2000, groups=7))
    assert ended.status == 0
    for group in range(7):
        numbers = list(map(int, run.read(f"k{group}").split()))
        assert numbers == [n for n in range(1, 2001) if n % 7 == group]


@pytest.mark.parametrize("window", [1, 3, 16])
def test_a_window_of_events_of_different_groups_is_with_a_process_at_once(run, window):
    # It answers once it has as many as it can have, in the other order.
    collect = """
import json, sys
have = []
for line in iter(sys.stdin.readline, ""):
    have.append(json.loads(line))
    assert len(have) <= WINDOW
    assert len({e["group"] for e in have}) == len(have)
    if len(have) == WINDOW:
        for e in reversed(have):
            print(json.dumps({"seq": e["seq"], "result": "done"}))
        sys.stdout.flush()
        have = []
""".replace("WINDOW", str(window))
    count = window * 5
    command = run.handler(collect)
    options = ["--workers", 1, "--window", window]
    ended = lines(run, *options, command=command, input=events(count, groups=count))
    assert ended.status == 0, ended.err
    assert (ended.summary()["done"], ended.summary()["retries"]) == (count, 0)


def test_what_a_process_says_on_standard_error_comes_out_in_whole_lines(run):
    begin = 'who = os.environ["FAIRLANE_WORKER"]'
    answer = 'sys.stderr.write("".join(who + "\\n" for _ in range(5))); sys.stderr.flush()'
    options = ["--quiet", "--workers", 4]
    ended = lines(run, *options, command=handler(run, answer, begin), input=events(200, groups=50))
    assert ended.status == 0
    said = ended.err.splitlines()
    assert len(said) == 1000
    assert set(said) <= {f"worker-{i}" for i in range(1, 5)}


DEADLY = {
    "dies": ("sys.exit(3)", "exit 3"),
    "is killed": ("os.kill(os.getpid(), 9)", "killed by SIGKILL"),
    "answers nonsense": ('print("hello", flush=True); time.sleep(300)', "answered nonsense"),
    "answers no object": ('print("[1]", flush=True); time.sleep(300)', "not a JSON object"),
    "answers a NUL": (
        'print("{\\"seq\\":1,\\"result\\":\\"done\\"}\\0", flush=True); time.sleep(300)', "NUL"),
    "answers without result": (
        'print(json.dumps({"seq": e["seq"]}), flush=True); time.sleep(300)', "no result"),
    "answers another result": (
        'print(json.dumps({"seq": e["seq"], "result": "ok"}), flush=True); time.sleep(300)',
        "no such result"),
    "answers for what it does not have": (
        'print(json.dumps({"seq": 99, "result": "done"}), flush=True); time.sleep(300)', "seq 99"),
    "answers with a negative delay": (
        'print(json.dumps({"seq": e["seq"], "result": "retry", "delay_ms": -1}), flush=True);'
        " time.sleep(300)", "delay_ms"),
    "floods without a line end": (
        'sys.stdout.write("x" * 5000000); sys.stdout.flush(); time.sleep(300)', "end of line"),
    "closes its input": ("os.close(0); time.sleep(300)", "closed its standard input"),
    "closes its output": ("os.close(1); time.sleep(300)", "closed its standard output"),
    "writes half a line and dies": (
        'sys.stdout.write(json.dumps({"seq": e["seq"]})[:-1]); sys.stdout.flush(); os._exit(0)',
        "exit 0"),
}  # fmt: skip


@pytest.mark.parametrize("fault", DEADLY)
def test_a_process_that_breaks_fails_its_event_and_is_started_anew(run, fault):
    code, reason = DEADLY[fault]
    # It answers one first, so that it is the event that is to blame.
    answer = f'\n    if e["seq"] == 2 and e["attempt"] < 3: {code}'
    options = ["--workers", 1, "--window", 1, "--grace", "50ms", "--results", "results"]
    ended = lines(run, *options, command=handler(run, answer), input=events(4))
    assert ended.status == 0, ended.err
    failed = [each for each in run.results() if each["result"] == "failed"]
    assert [(each["seq"], each["attempt"]) for each in failed] == [(2, 1), (2, 2)]
    assert all(reason in each["reason"] for each in failed), failed
    done = [each["seq"] for each in run.results() if each["result"] == "done"]
    assert done == [1, 2, 3, 4]


@pytest.mark.parametrize("fault", DEADLY)
def test_five_deaths_in_a_row_without_an_answer_stop_the_run(run, fault):
    code, reason = DEADLY[fault]
    begin = 'open("starts", "a").write("x"); e = json.loads(sys.stdin.readline())\n' + code
    options = ["--workers", 1, "--grace", "50ms", "--max-attempts", 2, "--unfinished", "left"]
    command = handler(run, begin=begin)
    ended = lines(run, *options, "--dead", "dead", command=command, input=events(6, groups=2))
    assert ended.status == 2
    assert "COMMAND ended 5 times in a row without an answer" in ended.err
    assert reason in ended.err
    assert ended.summary()["dead"] == 0
    assert (run.read("dead"), run.read("left")) == (b"", events(6, groups=2))
    assert run.read("starts") == b"x" * 5


def test_a_process_that_hangs_is_ended_by_the_timeout(run):
    hang = '\n    if e["seq"] == 2 and e["attempt"] == 1: time.sleep(300)'
    # Long enough for the interpreter to start; where it is not, there is another attempt.
    options = ["--workers", 1, "--timeout", "1s", "--max-attempts", 0, "--results", "results"]
    ended = lines(run, *options, command=handler(run, hang), input=events(4, groups=4))
    assert ended.status == 0, ended.err
    failed = [each for each in run.results() if each["result"] == "failed"]
    # Those behind it had as long to wait, so they may have run out of time with it.
    assert failed and {each["seq"] for each in failed} >= {2}
    assert all(each["reason"] == "timed out after 1s" for each in failed)
    assert ended.summary()["done"] == 4


def test_a_process_that_always_hangs_makes_dead_letters_not_a_broken_command(run):
    options = ["--timeout", "60ms", "--grace", "20ms", "--max-attempts", 2]
    ended = lines(run, *options, command=["sleep", "300"], input=events(8, groups=8))
    assert ended.status == 1
    assert ended.summary()["dead"] == 8
    assert "timed out after 60ms" in ended.err


def test_a_process_that_never_reads_is_ended_by_the_timeout(run):
    large = b"".join(b'{"g":%d,"x":"%s"}\n' % (i, b"x" * 100_000) for i in range(8))
    options = ["--timeout", "60ms", "--grace", "20ms", "--max-attempts", 1, "--workers", 1]
    ended = lines(run, *options, command=["sleep", "300"], input=large)
    assert ended.status == 1
    assert ended.summary()["dead"] == 8


def test_a_flood_of_standard_error_holds_nothing_up(run):
    flood = 'sys.stderr.write("x" * 3000000)'
    ended = lines(run, "--workers", 2, command=handler(run, flood), input=events(4, groups=4))
    assert (ended.status, ended.summary()["done"]) == (0, 4)
    assert ended.err.count("x") >= 12_000_000


def test_one_that_answers_before_it_has_read_all_of_its_input_works(run):
    # Event lines far larger than a pipe, answered with large reasons, so both pipes fill.
    big = b"".join(b'{"g":%d,"x":"%s"}\n' % (i, b"x" * 300_000) for i in range(40))
    answer = 'a["reason"] = "y" * 200000'
    ended = lines(run, "--workers", 1, command=handler(run, answer), input=big)
    assert (ended.status, ended.summary()["done"]) == (0, 40)


def test_processes_that_die_now_and_then_lose_nothing(run):
    keep = """
    if random.random() < 0.02: os._exit(7)
    open(e["group"], "a").write(f"{e['event']['n']}\\n")
    if random.random() < 0.02: os.kill(os.getpid(), 9)
    """
    options = ["--workers", 3, "--window", 4, "--max-attempts", 0]
    command = handler(run, keep.strip(), begin="import random")
    ended = lines(run, *options, command=command, input=events(700, groups=9))
    assert ended.status == 0, ended.err
    assert ended.summary()["done"] == 700
    for group in range(9):
        numbers = list(map(int, run.read(f"k{group}").split()))
        # One that was written and not answered comes again, at once: at least once, in order.
        assert sorted(set(numbers)) == [n for n in range(1, 701) if n % 9 == group]
        assert numbers == sorted(numbers)


def test_a_stop_in_lines_mode_keeps_what_is_not_answered(run):
    hang = '\n    if e["seq"] > 2: open("started", "w"); time.sleep(300)'
    options = ["--mode", "lines", "--workers", 1, "--grace", "50ms", "--unfinished", "left"]
    running = run.start(*options, "--", *handler(run, hang))
    running.feed(events(20, groups=20))
    until((run.folder / "started").exists, "the third event")
    running.signal(signal.SIGINT)
    ended = running.ends()
    assert ended.status == 130
    assert run.read("left") == b"".join(events(20, groups=20).splitlines(True)[2:])
    assert "18 of 20 events read are not done" in ended.err


def test_processes_end_with_the_run_and_see_the_end_of_their_input(run):
    begin = 'open("pids", "a").write(f"{os.getpid()}\\n")\nimport atexit\n'
    begin += 'atexit.register(lambda: open("tidy", "a").write("x"))'
    command = handler(run, begin=begin)
    ended = lines(run, "--workers", 2, command=command, input=events(50, groups=9))
    assert ended.status == 0
    pids = list(map(int, run.read("pids").split()))
    assert run.read("tidy") == b"x" * len(pids)
    assert not any(map(is_alive, pids))


def test_a_group_with_a_nul_is_fine_in_lines_mode(run):
    answer = 'assert e["group"] == "a\\0b"'
    ended = lines(run, command=handler(run, answer), input=b'{"g":"a\\u0000b"}')
    assert ended.status == 0, ended.err
