"""The parser tables are cached; no state of the cache can break a compile."""

from pathlib import Path

import lark
import pytest

from tilec.frontend.syntax import grammar_cache


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(grammar_cache, "INSTALLED", tmp_path / "installed")
    grammar_cache.tile_parser.cache_clear()
    yield
    grammar_cache.tile_parser.cache_clear()


def _cached(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").glob("*"))


def test_writes_one_file_and_reads_it_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    grammar_cache.parse_tree("x = 1")
    (path,) = _cached(tmp_path)
    assert path.name.startswith("parser-")

    def fail(_: str):
        raise AssertionError("the tables were built again")

    monkeypatch.setattr(grammar_cache, "_build", fail)
    grammar_cache.tile_parser.cache_clear()
    tree = grammar_cache.parse_tree("    x = 1\n    if x:\n        y = 2\n    z = 3", 4)
    assert [child.data for child in tree.children] == ["simple_line", "if_statement", "simple_line"]


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x04N."])
def test_rebuilds_when_the_file_is_damaged(tmp_path: Path, content: bytes):
    grammar_cache.parse_tree("x = 1")
    (path,) = _cached(tmp_path)
    path.write_bytes(content)
    grammar_cache.tile_parser.cache_clear()
    assert grammar_cache.parse_tree("x = 1").children
    assert len(path.read_bytes()) > len(content)


def test_goes_on_when_the_folder_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert grammar_cache.parse_tree("x = 1").children


def test_installed_tables_spare_the_cache(tmp_path: Path):
    folder = tmp_path / "installed"
    folder.mkdir()
    (folder / "parser-of-an-older-grammar.pickle").write_bytes(b"")
    grammar_cache.install_tables(folder)
    (path,) = folder.iterdir()
    assert path.name.startswith("parser-")
    assert grammar_cache.parse_tree("x = 1").children
    assert _cached(tmp_path) == []


def test_file_name_depends_on_the_grammar():
    assert grammar_cache.tables_name("a") != grammar_cache.tables_name("b")


def test_rules_that_pass_on_a_child_change_neither_trees_nor_positions(examples):
    text = (examples / "attention.tile").read_text(encoding="utf-8")
    plain = grammar_cache._find_or_build(grammar_cache._grammar_text())
    assert _positions(grammar_cache.tile_parser().parse(text)) == _positions(plain.parse(text))


def _positions(node):
    """Return a tree with the place of each node, which the equality of trees leaves out."""
    if node is None:
        return None
    if isinstance(node, lark.Token):
        return node, node.line, node.column
    place = vars(node.meta).copy()
    place = {name: value for name, value in place.items() if not name.startswith("container")}
    return node.data, place, [_positions(child) for child in node.children]
