"""Section 11 of the contract, for asyncio."""

import asyncio

import fairlane
import pytest
from fairlane import Outcome
from notes import Notes, settled


@pytest.fixture
def transport(clock):
    return fairlane.AsyncInMemoryTransport(clock)


def run(main):
    async def with_deadline():
        await asyncio.wait_for(main(), 30)

    asyncio.run(with_deadline())


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)


@pytest.mark.parametrize(
    "outcome, word, state",
    [
        (None, "done 1", "absent"),
        (Outcome.retry(5), "retried 1 5", "parked"),
        (Outcome.dead("no good"), "dead 1 no good", "absent"),
        (Outcome.released(), "released 1", "ready"),
    ],
)
def test_outcomes(transport, outcome, word, state):
    async def handle(lease):
        return outcome

    async def main():
        notes = Notes()
        worker = fairlane.AsyncWorker(transport, handle, observer=notes)
        assert not await worker.step()
        await transport.publish("a", 1)
        assert await worker.step()
        assert notes.words == ["claimed 1", word]
        assert (await transport.inspect("a")).state == state

    run(main)


def test_an_exception_is_a_retry_with_the_back_off(transport):
    async def handle(lease):
        raise KeyError("k")

    async def main():
        notes = Notes()
        backoff = fairlane.Backoff(min=1, jitter=0)
        await transport.publish("a", 1)
        await fairlane.AsyncWorker(transport, handle, backoff=backoff, observer=notes).step()
        assert settled(notes) == ["retried 1 1.0 KeyError: 'k'"]

    run(main)


def test_concurrency_is_how_many_run_at_once():
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        now, most, order = set(), [], []

        async def handle(lease):
            assert lease.group_id not in now
            now.add(lease.group_id)
            most.append(len(now))
            await asyncio.sleep(0.002)
            now.discard(lease.group_id)
            order.append(lease.event)

        for number in range(60):
            await transport.publish(f"g{number % 10}", number)
        stop = asyncio.Event()
        task = asyncio.create_task(fairlane.AsyncWorker(transport, handle, concurrency=5).run(stop))
        await until(lambda: len(order) == 60)
        stop.set()
        await task
        assert max(most) == 5
        for group in range(10):
            assert [n for n in order if n % 10 == group] == list(range(group, 60, 10))

    run(main)


def test_heartbeats_keep_a_lease_and_a_lost_one_is_told():
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        notes = Notes()

        async def handle(lease, stop):
            await asyncio.sleep(1.3)
            assert not stop.is_set()
            await transport.terminate("a")
            await stop.wait()

        await transport.publish("a", 1)
        worker = fairlane.AsyncWorker(transport, handle, visibility=0.6, observer=notes)
        stop = asyncio.Event()
        task = asyncio.create_task(worker.run(stop))
        await until(lambda: "stale 1" in notes.words)
        stop.set()
        await task
        assert notes.words == ["claimed 1", "lost 1", "stale 1"]

    run(main)


def test_stopping_lets_handlers_finish_and_hands_back_the_rest():
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        notes = Notes()

        async def handle(lease):
            await asyncio.sleep(lease.event)

        await transport.publish("quick", 0.05)
        await transport.publish("slow", 60)
        worker = fairlane.AsyncWorker(
            transport, handle, concurrency=2, grace=0.3, observer=notes
        )
        task = asyncio.create_task(worker.run())
        await asyncio.sleep(0.02)
        worker.stop()
        await task
        assert settled(notes) == ["done 0.05", "released 60"]
        assert (await transport.claim("w", 30)).attempt == 1

    run(main)


def test_a_cancelled_run_hands_back_what_it_holds():
    async def main():
        transport = fairlane.AsyncInMemoryTransport()

        async def handle(lease):
            await asyncio.sleep(60)

        await transport.publish("a", 1)
        worker = fairlane.AsyncWorker(transport, handle, concurrency=3, grace=0)
        task = asyncio.create_task(worker.run())
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        stats = await transport.stats()
        assert (stats.released, stats.leased, stats.ready) == (1, 0, 1)

    run(main)


def test_a_wrong_argument_ends_the_run_and_is_raised():
    async def main():
        async def handle(lease):
            pass

        worker = fairlane.AsyncWorker(
            fairlane.AsyncInMemoryTransport(), handle, min_priority=2**40
        )
        with pytest.raises(ValueError, match="min_priority"):
            await worker.run()

    run(main)
    with pytest.raises(ValueError):
        fairlane.AsyncWorker(None, None, concurrency=0)


def test_a_handler_that_never_waits_leaves_the_loop_its_turns():
    async def main():
        transport = fairlane.AsyncInMemoryTransport()

        async def handle(lease):
            pass

        for number in range(10_000):
            await transport.publish(f"g{number}", number)
        worker = fairlane.AsyncWorker(transport, handle)
        task = asyncio.create_task(worker.run())
        await asyncio.sleep(0)
        await asyncio.sleep(0.001)
        assert (await transport.stats()).acked < 10_000
        worker.stop()
        await task

    run(main)
