"""Leases as Python values, and programs that bring their own types."""

import copy
import pickle
from typing import Any, Protocol, runtime_checkable

import fairlane
import pytest


@pytest.fixture
def leases(transport):
    for group in "ab":
        transport.publish(group, group)
    return transport.claim_batch(2, "w", 30)


def test_equality_is_by_token(transport, leases):
    first, second = leases
    assert first == first and first != second
    assert first.token != second.token
    assert len({first, second, first}) == 2
    assert first != "something else" and first != None  # noqa: E711


def test_tokens_of_two_transports_differ(clock):
    def one():
        transport = fairlane.InMemoryTransport(clock)
        transport.publish("a", None)
        return transport.claim("w", 30)

    first, second = one(), one()
    assert first != second and first.token != second.token


def test_a_second_claim_of_a_message_is_another_lease(transport, leases):
    transport.nack(leases[0])
    again = transport.claim("w", 30)
    assert again.seq == leases[0].seq and again != leases[0]


def test_leases_have_no_order(leases):
    with pytest.raises(TypeError):
        sorted(leases)


def test_the_repr_says_it_all(leases):
    assert repr(leases[0]) == (
        "<fairlane.Lease seq=1 group_id='a' event='a' attempt=1 expires_at=1030.0 worker_id='w'>"
    )


def test_a_lease_is_read_only(leases):
    for name in ("seq", "group_id", "event", "attempt", "expires_at", "worker_id", "token"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(leases[0], name, 1)
    with pytest.raises(TypeError):
        fairlane.Lease()


def test_pickling_a_lease_is_refused(leases):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="a lease cannot be pickled.*seq=1"):
            pickle.dumps(leases[0], protocol)


def test_pickling_a_transport_is_refused(transport):
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(transport)


def test_copies_of_a_lease_are_the_lease(leases):
    assert copy.copy(leases[0]) is leases[0]
    assert copy.deepcopy(leases[0]) is leases[0]


def test_a_lease_keeps_its_event_after_the_transport_is_gone(clock):
    transport = fairlane.InMemoryTransport(clock)
    transport.publish("a", ["event"])
    lease = transport.claim("w", 30)
    del transport
    assert lease.event == ["event"] and lease.group_id == "a"


@runtime_checkable
class FiveVerbs(Protocol):
    def publish(self, group_id: str, event: Any, priority: int = 0) -> Any: ...
    def claim(self, worker_id: str, visibility: float, min_priority: int = 0) -> Any: ...
    def ack(self, lease: Any) -> Any: ...
    def nack(self, lease: Any, delay: float = 0.0) -> Any: ...
    def close(self) -> None: ...


def test_transports_are_instances_of_a_users_protocol(transport):
    assert isinstance(transport, FiveVerbs)
    assert isinstance(fairlane.AsyncInMemoryTransport(), FiveVerbs)


def test_subclassing():
    class Counting(fairlane.InMemoryTransport):
        def __init__(self, label, **options):
            super().__init__(**options)
            self.label = label
            self.claims = 0

        def claim(self, *args, **kwargs):
            self.claims += 1
            return super().claim(*args, **kwargs)

    transport = Counting("mine", max_attempts=3)
    transport.publish("a", 1)
    worker = fairlane.Worker(transport, lambda lease: None)
    while worker.step():
        pass
    assert (transport.label, transport.claims) == ("mine", 2)
    assert isinstance(transport, FiveVerbs)


def test_a_subclass_that_forgets_to_initialize_is_told():
    class Forgetful(fairlane.InMemoryTransport):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match="__init__"):
        Forgetful()


def test_keyword_arguments_have_the_contracts_names(transport):
    transport.publish(group_id="a", event=1, priority=0)
    lease = transport.claim(worker_id="w", visibility=1, min_priority=0)
    transport.nack(lease=lease, delay=0)
    lease = transport.claim_wait(worker_id="w", visibility=1, min_priority=0, timeout=0, stop=None)
    assert transport.ack(lease=lease)
