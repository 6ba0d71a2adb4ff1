"""The LALR parser object, loaded from tables that were built before where there are such.

Building the tables costs about 0.4 s; loading them costs a few milliseconds. Installing tilec
builds them next to the grammar (setup.py); a checkout that is not installed, or whose grammar was
edited since, keeps them in the user's cache folder. The file name carries a hash of the grammar
and the versions of lark and Python, so that no stale table is ever read. A file that is damaged,
unreadable or not writable is ignored.
"""

import functools
import hashlib
import io
import operator
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lark
from lark.lark import PostLex
from lark.lexer import Token

from tilec.support.diagnostics import SourceSpan
from tilec.support.environment import cache_directory
from tilec.support.file_io import write_atomic
from tilec.support.locks import Lock

_OPENING = ("LPAR", "LSQB")
_CLOSING = ("RPAR", "RSQB")
INSTALLED = Path(__file__).parent
"""Where an installation keeps the tables."""
_OPTIONS = {
    "parser": "lalr",
    "lexer": "basic",
    "propagate_positions": True,
    "maybe_placeholders": True,
}


class IndentationLexer(PostLex):
    """Adds `_INDENT` and `_DEDENT` tokens and drops line ends inside brackets.

    `source_scan` has checked the indentation before, so every dedent meets an outer level.

    Attributes:
        base: Indentation of the outermost statements; not 0 for a function inside a Python class
            or function.
    """

    always_accept = ("_NEWLINE",)

    def __init__(self) -> None:
        """Start without indentation."""
        self.base = 0

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Yield the tokens of `stream` with indentation tokens between them."""
        levels = [self.base]
        depth = 0
        last: Token | None = None
        for token in stream:
            last = token
            if token.type == "_NEWLINE":
                if depth == 0:
                    yield token
                    yield from _indentation_tokens(token, levels)
                continue
            depth += (token.type in _OPENING) - (token.type in _CLOSING)
            yield token
        for _ in levels[1:]:
            yield Token.new_borrow_pos("_DEDENT", "", last) if last else Token("_DEDENT", "")


def _indentation_tokens(newline: Token, levels: list[int]) -> Iterator[Token]:
    text = newline.rsplit("\n", 1)[-1]
    indent = len(text.expandtabs())
    if indent > levels[-1]:
        levels.append(indent)
        yield Token.new_borrow_pos("_INDENT", text, newline)
    while indent < levels[-1] and len(levels) > 1:
        levels.pop()
        yield Token.new_borrow_pos("_DEDENT", text, newline)


def _grammar_text() -> str:
    return Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")


def tables_name(grammar: str) -> str:
    """Return the name of the file that holds the parser tables of `grammar`."""
    key = "\n".join([grammar, lark.__version__, sys.version, repr(sorted(_OPTIONS.items()))])
    digest = hashlib.sha256(key.encode()).hexdigest()[:20]
    return f"parser-{digest}.pickle"


def _build(grammar: str) -> lark.Lark:
    return lark.Lark(grammar, postlex=IndentationLexer(), **_OPTIONS)


def _load(path: Path) -> lark.Lark | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    try:
        return lark.Lark.load(io.BytesIO(data))
    except Exception:
        return None


def _store(parser: lark.Lark, path: Path) -> None:
    buffer = io.BytesIO()
    try:
        parser.save(buffer)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, buffer.getvalue())
    except (OSError, pickle.PickleError):
        return


def install_tables(folder: Path) -> None:
    """Build the tables into `folder`, in place of those of earlier grammars.

    setup.py calls this with the folder that the installed package is read from. A folder that
    cannot be written is left as it is.
    """
    grammar = _grammar_text()
    path = folder / tables_name(grammar)
    _store(_build(grammar), path)
    for stale in folder.glob("parser-*.pickle"):
        if stale != path:
            stale.unlink(missing_ok=True)


@functools.cache
def tile_parser() -> lark.Lark:
    """Return the parser: installed with the package, else from the user's cache, else built."""
    parser = _find_or_build(_grammar_text())
    _pass_single_children_on(parser)
    return parser


def _find_or_build(grammar: str) -> lark.Lark:
    name = tables_name(grammar)
    parser = _load(INSTALLED / name)
    if parser is not None:
        return parser
    try:
        path = cache_directory() / name
    except RuntimeError:  # no home directory
        return _build(grammar)
    parser = _load(path)
    if parser is None:
        parser = _build(grammar)
        _store(parser, path)
    return parser


def _pass_single_children_on(parser: Any) -> None:
    """Let rules that return the tree of another rule as it is do nothing else.

    A name is an expression of each level of precedence, and lark would look for its position at
    each of them: a third of the time of parsing.
    """
    callbacks = parser.parser.parser.parser.callbacks
    for rule in callbacks:
        if rule.options.expand1 and not rule.alias and len(rule.expansion) == 1:
            (symbol,) = rule.expansion
            if not symbol.is_term and not symbol.name.startswith("_"):
                callbacks[rule] = operator.itemgetter(0)


_LOCK = Lock()
"""The post-lexer keeps state while it runs, so one thread parses at a time."""


def parse_tree(text: str, base_indent: int = 0) -> lark.Tree:
    """Parse `text`, whose logical lines start at `base_indent` columns or more.

    Raises:
        lark.exceptions.UnexpectedInput: The text does not fit the grammar.
    """
    parser = tile_parser()
    with _LOCK.held:
        indentation: Any = parser.options.postlex
        indentation.base = base_indent
        return parser.parse(text.rstrip() + "\n")


def parse_expression(text: str, span: SourceSpan) -> lark.Tree | None:
    """Return the tree of an expression that stands inside a string; None if `text` is none.

    Args:
        text: The expression.
        span: Its place, which the positions in the tree count from.
    """
    # Inside brackets line ends mean nothing, so the text can be moved to its place.
    place = "\n" * (span.line - 1) + " " * (span.column - (1 if span.line > 1 else 2))
    try:
        tree = parse_tree(f"({place}{text}\n)")
    except lark.exceptions.UnexpectedInput:
        return None
    found = tree
    for rule in ("start", "simple_line", "expression_statement", "parenthesized"):
        if found.data != rule or len(found.children) != 1 or not isinstance(found, lark.Tree):
            return None
        found = found.children[0]
    return found if isinstance(found, lark.Tree) else None
