"""What a worker tells."""

import fairlane


class Notes(fairlane.Observer):
    """What a worker told, as words."""

    def __init__(self):
        self.words = []

    def claimed(self, lease):
        self.words.append(f"claimed {lease.event}")

    def done(self, lease):
        self.words.append(f"done {lease.event}")

    def retried(self, lease, delay, why):
        self.words.append(f"retried {lease.event} {delay} {why}".strip())

    def dead(self, lease, reason):
        self.words.append(f"dead {lease.event} {reason}")

    def released(self, lease):
        self.words.append(f"released {lease.event}")

    def stale(self, lease):
        self.words.append(f"stale {lease.event}")

    def lost(self, lease):
        self.words.append(f"lost {lease.event}")

    def failed(self, error):
        self.words.append(f"failed {error}")


def settled(notes):
    return [word for word in notes.words if not word.startswith("claimed")]
