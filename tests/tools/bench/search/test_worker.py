"""The parent's handle of the GPU process, with a process that is none."""

import pytest

from tools.bench.host import HostError
from tools.bench.search.candidates import Shape
from tools.bench.search.messages import LookRequest, Reply, ShapeRequest
from tools.bench.search.worker import GpuProcess, VariantError

SHAPE = Shape(8, 8, 8, "square")
LOOK = LookRequest("a.tilepkg", long=False)


class FakeProcess:
    """Stands for both the process and the connection; answers with what it was given."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.sent = []
        self.killed = False

    def send(self, request):
        self.sent.append(request)

    def poll(self, seconds):
        return bool(self.replies)

    def recv(self):
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def kill(self):
        self.killed = True

    def join(self):
        pass

    def close(self):
        pass


@pytest.fixture
def started(monkeypatch):
    """Return a function that says which fake processes will be started."""

    def prepare(*fakes):
        queue = list(fakes)

        def start(handle):
            handle._process = handle._connection = queue.pop(0)
            try:
                handle._receive(1)
            except VariantError as failure:
                raise HostError(str(failure)) from failure

        monkeypatch.setattr(GpuProcess, "_start", start)
        return GpuProcess()

    return prepare


def test_answers_pass_through(started):
    fake = FakeProcess(Reply(), Reply(), Reply(1.5), Reply(error="wrong result"), Reply(2.5))
    process = started(fake)
    process.ask(ShapeRequest(SHAPE))
    assert process.ask(LOOK) == 1.5
    with pytest.raises(VariantError, match="wrong result"):
        process.ask(LOOK)
    assert process.ask(LOOK) == 2.5
    assert not fake.killed


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ([], "hang: no answer in 20 s"),
        ([EOFError()], "died"),
        ([Reply(error="CUDA error", fatal=True)], "CUDA error"),
    ],
)
def test_after_a_failure_a_new_process_gets_the_shape_again(started, reply, reason):
    first = FakeProcess(Reply(), Reply(), *reply)
    second = FakeProcess(Reply(), Reply(), Reply(3.0))
    process = started(first, second)
    process.ask(ShapeRequest(SHAPE))
    with pytest.raises(VariantError, match=reason):
        process.ask(LOOK)
    assert first.killed
    assert process.ask(LOOK) == 3.0
    assert second.sent == [ShapeRequest(SHAPE), LOOK]
    process.close()
    assert second.killed


def test_no_gpu_is_an_error_of_the_host(started):
    process = started(FakeProcess(Reply(error="no GPU", fatal=True)))
    with pytest.raises(HostError, match="no GPU"):
        process.ask(ShapeRequest(SHAPE))
