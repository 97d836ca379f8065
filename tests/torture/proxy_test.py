"""The proxy of the torture, between a client and a server that is known to the byte."""

import os
import socket
import subprocess
import sys
import threading
import time
import unittest

PROXY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "proxy")
ANSWER = bytes(range(256)) * 256  # More than any connection is allowed before it is cut.


class Server:
    """Sends ANSWER for the first byte of a connection, and keeps all it was sent."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.received: list[bytes] = []
        self.threads: list[threading.Thread] = []
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.threads.append(threading.Thread(target=self.serve, args=(connection,)))
            self.threads[-1].start()

    def serve(self, connection: socket.socket) -> None:
        received = b""
        with connection:
            try:
                while data := connection.recv(65536):
                    if not received:
                        connection.sendall(ANSWER)
                    received += data
            except OSError:
                pass
        self.received.append(received)

    def all_received(self, connections: int) -> list[bytes]:
        """When so many connections have ended."""
        end = time.monotonic() + 20
        while len(self.received) < connections and time.monotonic() < end:
            time.sleep(0.01)
        return self.received

    def end(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        for thread in self.threads:
            thread.join()


class ProxyTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.end)

    def start(self, *options: str, target: int | None = None) -> int:
        self.process = subprocess.Popen(
            [sys.executable, PROXY, "--target", str(target or self.server.port), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.process.communicate)
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())

    def told(self) -> list[int]:
        """The counts: connections, cut in an answer, in a request, times refused, delays."""
        told, _ = self.process.communicate(timeout=20)
        self.process.communicate = lambda: None  # type: ignore[method-assign, assignment]
        self.assertEqual(self.process.returncode, 0)
        return [int(word) for word in told.split() if word.isdigit()]

    def connect(self, port: int) -> socket.socket:
        for _ in range(200):  # It may be one of the times when it refuses.
            try:
                connection = socket.create_connection(("127.0.0.1", port), timeout=20)
                break
            except ConnectionRefusedError:
                time.sleep(0.02)
        else:
            self.fail("it refuses for ever")
        self.addCleanup(connection.close)
        return connection

    def answer(self, port: int, request: bytes = b"?") -> tuple[bytes, bool]:
        """All that comes back, and whether the connection was reset."""
        received = b""
        try:
            connection = self.connect(port)
            connection.sendall(request)
            while len(received) < len(ANSWER) and (data := connection.recv(65536)):
                received += data
        except ConnectionError:
            return received, True
        return received, False

    def test_passes_everything_on(self) -> None:
        port = self.start("--kind", "none")
        request = os.urandom(1_000_000)
        connection = self.connect(port)
        sender = threading.Thread(target=connection.sendall, args=(request,))
        sender.start()
        received = b""
        while len(received) < len(ANSWER):
            received += connection.recv(65536)
        sender.join()
        connection.close()
        self.assertEqual(received, ANSWER)
        self.assertEqual(self.server.all_received(1), [request])
        self.assertEqual(self.told()[:4], [1, 0, 0, 0])

    def test_cuts_answers(self) -> None:
        port = self.start("--kind", "cut-answer")
        answers = [self.answer(port) for _ in range(40)]
        for received, _ in answers:
            self.assertLess(len(received), len(ANSWER))
            self.assertTrue(ANSWER.startswith(received))
        self.assertGreater(len({len(received) for received, _ in answers}), 10)
        self.assertEqual({reset for _, reset in answers}, {True, False})
        self.assertEqual(self.told()[:4], [40, 40, 0, 0])

    def test_cuts_requests(self) -> None:
        port = self.start("--kind", "cut-request")
        request = os.urandom(100_000)
        for _ in range(40):
            self.answer(port, request)
        all_received = self.server.all_received(40)
        sizes = {len(received) for received in all_received}
        self.assertGreater(len(sizes), 10)
        self.assertLess(max(sizes), len(request))
        for received in all_received:
            self.assertTrue(request.startswith(received))
        self.assertEqual(self.told()[:4], [40, 0, 40, 0])

    def test_refuses_for_a_while(self) -> None:
        port = self.start("--kind", "refuse")
        self.assertEqual(self.answer(port)[0], b"")
        refused = 0
        end = time.monotonic() + 20
        while not self.lets_in(port) and time.monotonic() < end:
            refused += 1
            time.sleep(0.02)
        self.assertGreater(refused, 0)
        self.assertEqual(self.told()[1:3], [0, 0])

    def lets_in(self, port: int) -> bool:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=20).close()
        except ConnectionError:
            return False
        return True

    def test_one_seed_is_one_fate(self) -> None:
        told = []
        for seed in ("3", "3", "4"):
            port = self.start("--seed", seed)
            for _ in range(60):
                self.answer(port, os.urandom(100_000))
            told.append(self.told()[:4])
        # Which of two directions is cut first may differ, whether it is cut does not.
        self.assertEqual(told[0], told[1])
        self.assertNotEqual(told[0], told[2])
        for counts in told:
            self.assertTrue(all(counts), counts)

    def test_outlives_its_server(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            closed = nobody.getsockname()[1]
        port = self.start("--kind", "none", target=closed)
        for _ in range(3):
            self.assertEqual(self.answer(port)[0], b"")
        self.assertEqual(self.told()[0], 3)


if __name__ == "__main__":
    unittest.main()
