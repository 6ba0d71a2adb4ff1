"""Files appear whole or not at all."""

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tilec.support import file_io
from tilec.support.file_io import write_atomic


def test_text_and_bytes(tmp_path):
    path = tmp_path / "out"
    write_atomic(path, "é")
    assert path.read_bytes() == "é".encode()
    write_atomic(path, b"\0\1")
    assert path.read_bytes() == b"\0\1"
    assert os.listdir(tmp_path) == ["out"]


def test_permissions(tmp_path):
    path = tmp_path / "out"
    before = os.umask(0o027)
    try:
        write_atomic(path, "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o755)
    write_atomic(path, "y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


def test_a_link_is_followed(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_directly():
    write_atomic(Path("/dev/null"), "x")
    assert not Path("/dev/null").is_file()


def test_a_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomic(tmp_path / "absent" / "out", "x")


def test_a_read_only_file(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_text("old")
    monkeypatch.setattr(file_io.os, "access", lambda *_: False)  # root may write everything
    with pytest.raises(PermissionError):
        write_atomic(path, "new")
    assert path.read_text() == "old"


def fail(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["fsync", "replace", "link", "fchmod"])
def test_a_failure_at_any_step_keeps_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "out"
    path.write_text("old")
    monkeypatch.setattr(file_io.os, step, fail)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_a_file_system_without_unnamed_files(tmp_path, monkeypatch):
    monkeypatch.delattr(file_io.os, "O_TMPFILE")
    write_atomic(tmp_path / "out", "x")
    assert (tmp_path / "out").read_text() == "x"
    monkeypatch.setattr(file_io.os, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(tmp_path / "out", "y")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["out"]


KILLED = """
import os, signal, sys
from pathlib import Path
from tilec.support import file_io
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(file_io.os, sys.argv[2], die)
file_io.write_atomic(Path(sys.argv[1]), b"new" * 1000000)
"""


def test_a_killed_process_leaves_nothing(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), "fsync"],
        check=False,
        cwd=Path(file_io.__file__).parent.parent,
    )
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    if hasattr(os, "O_TMPFILE"):
        assert os.listdir(tmp_path) == ["out"]
