"""The transport for event loops: asyncio, and trio by way of anyio."""

import asyncio
import gc
import threading
import time
import weakref

import anyio
import fairlane
import pytest

BACKENDS = ["asyncio", "trio"]


@pytest.fixture(params=BACKENDS)
def run(request):
    def run(call, *args):
        async def main():
            with anyio.fail_after(30):
                return await call(*args)

        return anyio.run(main, backend=request.param)

    return run


def test_all_verbs_are_coroutines(run, clock):
    async def main():
        async with fairlane.AsyncInMemoryTransport(clock, max_attempts=3) as transport:
            event = object()
            assert await transport.publish("a", event) == 1
            assert await transport.publish_batch([("b", 1), ("c", 2)]) == [2, 3]
            lease = await transport.claim("w", 30)
            assert lease.event is event
            assert await transport.extend(lease, 30)
            assert await transport.nack(lease, delay=1)
            rest = await transport.claim_batch(5, "w", 30)
            assert await transport.ack_batch(rest[:1]) == [True]
            done, _ = await transport.ack_claim(rest[1], "w", 30)
            assert done
            clock.advance(1.001)
            lease = await transport.claim_wait("w", 30)
            assert await transport.release(lease)
            await transport.suspend("a")
            assert (await transport.inspect("a")).state == "suspended"
            assert await transport.groups(suspended=True) == ["a"]
            await transport.resume("a")
            assert await transport.reject(await transport.claim("w", 30), "why")
            assert (await transport.dead_letters())[0].reason == "why"
            assert await transport.redrive(1) == 4
            assert (await transport.peek("a"))[0].seq == 4
            assert await transport.cancel("a", None) == (1, 5)
            assert await transport.terminate("a") == 1
            assert (await transport.stats()).groups == 0
            assert await transport.publish_wait("a", None) == 6

    run(main)


def test_a_publish_on_the_loop_wakes_who_waits(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        got = []

        async def wait():
            got.append(await transport.claim_wait("w", 30))

        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(wait)
            await anyio.sleep(0.01)
            for number in range(3):
                await transport.publish(f"g{number}", number)
        assert sorted(lease.event for lease in got) == [0, 1, 2]

    run(main)


def test_a_publish_of_another_thread_wakes_who_waits(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        thread = threading.Timer(0.05, transport.transport.publish, ("a", "from afar"))
        thread.start()
        assert (await transport.claim_wait("w", 30)).event == "from afar"
        thread.join()

    run(main)


def test_waiting_takes_no_thread(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        before = threading.active_count()
        async with anyio.create_task_group() as group:
            for _ in range(200):
                group.start_soon(transport.claim_wait, "w", 30)
            await anyio.sleep(0.01)
            assert threading.active_count() == before
            await transport.close()

    run(main)


def test_a_lease_that_runs_out_wakes_who_waits(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        await transport.publish("a", None)
        await transport.claim("dies", 0.05)
        assert (await transport.claim_wait("w", 30)).attempt == 2

    run(main)


def test_a_manual_clock_wakes_who_waits(run, clock):
    async def main():
        transport = fairlane.AsyncInMemoryTransport(clock)
        await transport.publish("a", None)
        await transport.claim("dies", 10)
        got = []

        async def wait():
            got.append(await transport.claim_wait("w", 30))

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.sleep(0.01)
            clock.advance(10.001)
        assert got[0].attempt == 2

    run(main)


def test_a_timeout(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        assert await transport.claim_wait("w", 30, timeout=0.01) is None
        assert await transport.claim_wait("w", 30, timeout=0) is None

    run(main)


def test_a_cancelled_wait_loses_no_message(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        cancelled = 0
        for number in range(50):
            got = []

            async def wait(got=got):
                got.append(await transport.claim_wait("w", 30))

            async with anyio.create_task_group() as group:
                group.start_soon(wait)
                await anyio.sleep(0.001)
                # The task is given the message, and cancelled, before it runs again.
                if number % 2:
                    group.cancel_scope.cancel()
                transport.transport.publish("a", number)
                group.cancel_scope.cancel()
            cancelled += not got
            lease = got[0] if got else await transport.claim("w", 30)
            assert lease.event == number and lease.attempt == 1
            await transport.ack(lease)
        stats = await transport.stats()
        assert cancelled and stats.acked == 50 and stats.leased == 0

    run(main)


def test_who_was_cancelled_is_served_no_more(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        with anyio.move_on_after(0.01):
            await transport.claim_wait("w", 30)
        await transport.publish("a", None)
        assert (await transport.stats()).ready == 1

    run(main)


def test_leases_until_stopped(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        stop = anyio.Event()
        seen = []

        async def work():
            async for lease in transport.leases("w", 30, stop=stop):
                seen.append(lease.event)
                await transport.ack(lease)

        async with anyio.create_task_group() as group:
            group.start_soon(work)
            for number in range(10):
                await transport.publish("a", number)
                await anyio.sleep(0.001)
            stop.set()
        assert seen == list(range(10))

    run(main)


def test_leases_end_when_the_transport_is_closed(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        await transport.publish("a", 1)
        await transport.close()
        assert [lease.event async for lease in transport.leases("w", 30)] == [1]

    run(main)


def test_publish_wait_waits_for_room(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport(max_messages=1)
        await transport.publish("a", 1)
        lease = await transport.claim("w", 30)
        assert await transport.publish_wait("b", 2, timeout=0.01) is None
        async with anyio.create_task_group() as group:
            group.start_soon(transport.publish_wait, "b", 2)
            await anyio.sleep(0.02)
            await transport.ack(lease)
        assert (await transport.claim("w", 30)).event == 2

    run(main)


def test_a_cancelled_publish_wait_ends_its_thread(run):
    async def main():
        transport = fairlane.AsyncInMemoryTransport(max_messages=1)
        await transport.publish("a", 1)
        with anyio.move_on_after(0.05):
            await transport.publish_wait("b", 2)
        await transport.ack(await transport.claim("w", 30))
        await anyio.sleep(0.05)
        assert (await transport.stats()).published == 1

    run(main)


def test_it_goes_over_a_transport_that_others_use(transport):
    over = fairlane.AsyncInMemoryTransport(transport=transport)
    assert over.transport is transport
    with pytest.raises(TypeError):
        fairlane.AsyncInMemoryTransport(max_attempts=1, transport=transport)


def test_two_loops_share_one_transport():
    transport = fairlane.InMemoryTransport()
    seen = []

    def loop(name):
        async def main():
            over = fairlane.AsyncInMemoryTransport(transport=transport)
            async for lease in over.leases(name, 30):
                seen.append(lease.event)
                await over.ack(lease)

        asyncio.run(main())

    threads = [threading.Thread(target=loop, args=(f"loop-{i}",)) for i in range(2)]
    for thread in threads:
        thread.start()
    for number in range(500):
        transport.publish(f"g{number % 10}", number)
    deadline = time.monotonic() + 30
    while transport.stats().acked < 500 and time.monotonic() < deadline:
        time.sleep(0.001)
    transport.close()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    for number in range(10):
        mine = [event for event in seen if event % 10 == number]
        assert mine == sorted(mine)
    assert sorted(seen) == list(range(500))


def test_a_loop_that_was_closed_while_a_task_waited():
    transport = fairlane.InMemoryTransport()
    over = fairlane.AsyncInMemoryTransport(transport=transport)
    loop = asyncio.new_event_loop()
    task = loop.create_task(over.claim_wait("w", 30))
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()
    thread = threading.Thread(target=transport.publish, args=("a", None))
    thread.start()
    thread.join(10)
    task._log_destroy_pending = False
    del task
    gc.collect()
    assert transport.stats().ready == 1, "what nobody could take is handed back"


def test_a_waiting_task_that_nobody_holds_is_collected():
    class Event:
        pass

    event = Event()
    alive = weakref.ref(event)

    async def main():
        transport = fairlane.AsyncInMemoryTransport()
        await transport.publish("hidden", event, priority=-1)

        async def wait():
            await transport.claim_wait("w", 30)

        event.task = asyncio.create_task(wait())
        await asyncio.sleep(0)

    loop = asyncio.new_event_loop()
    loop.run_until_complete(main())
    loop.close()
    event.task._log_destroy_pending = False
    del event
    del loop
    gc.collect()
    assert alive() is None
