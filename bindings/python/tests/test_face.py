"""What `help()`, editors and type checkers are told is what there is."""

import ast
import inspect
import pathlib

import fairlane
import pytest
from fairlane import _core

STUB = ast.parse((pathlib.Path(_core.__file__).parent / "_core.pyi").read_text())
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def methods(name):
    return [
        node
        for node in CLASSES[name].body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")
    ]


@pytest.mark.parametrize("name", CLASSES)
def test_the_stub_names_what_there_is(name):
    real = getattr(_core, name)
    told = {method.name for method in methods(name)}
    assert told == {attribute for attribute in vars(real) if not attribute.startswith("__")}


@pytest.mark.parametrize("method", methods("Queue"), ids=lambda method: method.name)
def test_the_stub_tells_the_arguments(method):
    if method.name.startswith("_"):
        return
    real = inspect.signature(getattr(fairlane.InMemoryTransport(), method.name)).parameters
    told = [argument.arg for argument in method.args.args[1:]]
    assert list(real) == told
    defaults = [parameter for parameter in real.values() if parameter.default is not parameter.empty]
    shown = [ast.literal_eval(default) for default in method.args.defaults]
    assert [parameter.default for parameter in defaults] == shown


def public(thing):
    return {name: value for name, value in inspect.getmembers(thing) if not name.startswith("_")}


@pytest.mark.parametrize("name", [*fairlane.__all__, "testing.ManualClock"])
def test_everything_public_is_documented(name):
    thing = fairlane
    for part in name.split("."):
        thing = getattr(thing, part)
    if name == "Seconds":
        return
    assert inspect.getdoc(thing)
    if inspect.isclass(thing) and thing not in (fairlane.TransportError, fairlane.AsyncStop):
        for member, value in public(thing).items():
            if callable(value):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_the_async_face_has_every_verb():
    sync, other = public(fairlane.InMemoryTransport), public(fairlane.AsyncInMemoryTransport)
    assert set(sync) - set(other) == {"now", "start_claim"}


def test_calls_with_wrong_arguments_are_refused():
    transport = fairlane.InMemoryTransport()
    for call, told in (
        (lambda: transport.publish("a"), "publish\\(\\) misses its argument event"),
        (lambda: transport.publish("a", 1, 2, 3), "publish\\(\\) takes at most 3 arguments"),
        (lambda: transport.publish("a", 1, prio=2), "publish\\(\\) has no argument prio"),
        (lambda: transport.publish("a", 1, event=2), "two values for its argument event"),
        (lambda: transport.claim(), "claim\\(\\) misses its argument worker_id"),
        (lambda: transport.ack(), "ack\\(\\) misses its argument lease"),
    ):
        with pytest.raises(TypeError, match=told):
            call()
    with pytest.raises(TypeError):
        fairlane.InMemoryTransport.publish(5, "a", 1)
    with pytest.raises(TypeError, match="__init__"):
        raw = fairlane.InMemoryTransport.__new__(fairlane.InMemoryTransport)
        fairlane.InMemoryTransport.publish(raw, "a", 1)
