"""`print` and f-strings: what becomes text, what a print is, and mistakes."""

import pytest


def prints(program):
    found = [op for op in program.body.operations if op.name == "print"]
    return [(op.attributes["template"], op.attributes["dtype"]) for op in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("print('x')", [("x\n", "")]),
        ("print()", [("\n", "")]),
        ("print('{n}', n)", [("{{n}} {0}\n", "i32")]),
        ("print(1, 2.5, True, f32, BM)", [("1 2.5 True f32 64\n", "")]),
        ("print(n, alpha, sep=', ', end='')", [("{0}, ", "i32"), ("{0}", "f32")]),
        ("print(f'{n:>5}|{alpha:.2e}!')", [("{0:>5}|", "i32"), ("{0:.2e}!\n", "f32")]),
        ("print(f'{n + 1}' ' b ' f'{BM * 2}')", [("{0} b 128\n", "i32")]),
        ("print(f'{n=} {{}}')", [("n={0} {{}}\n", "i32")]),
        ("print(f'a\\tb', rf'\\t{n}')", [("a\tb \\t{0}\n", "i32")]),
        ("print((1, n, (n,)))", [("(1, {0}, (", "i32"), ("{0},))\n", "i32")]),
        ("x = f'{n}'\nprint(x, f'<{x}>')", [("{0} <", "i32"), ("{0}>\n", "i32")]),
        ("print(f'''{load(A, (0, 0), (4, 4))[:, None]:.1f}''')", [("{0:.1f}\n", "f32")]),
        ("print(f\"{n if n != 3 else 4}{'a:b'}\")", [("{0}a:b\n", "i32")]),
    ],
)
def test_text(frontend, body, expected):
    assert prints(frontend.kernel(body)) == expected


def test_an_f_string_of_constants_is_a_constant(frontend):
    assert frontend.error("static_assert(BM == 65, f'BM is {BM:>4}')")[2] == (
        "assertion failed: BM is   64"
    )


def test_inversion_of_a_constant_bool_is_not(frontend):
    """As of a tile of bools; Python gives -2 for `~True`."""
    assert frontend.error("static_assert(~True, f'{~True} {~False} {~5}')")[2] == (
        "assertion failed: False True -6"
    )


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("print(A)", "T0311", "the array 'A' cannot be printed"),
        (
            "print(f'{alpha:d}')",
            "T0311",
            "cannot format a scalar of f32 with 'd': Unknown format code 'd' for object of type"
            " 'float'",
        ),
        ("print(f'{BM:q}')", "T0311", "cannot format this constant: Unknown format code 'q'"),
        ("print(f'{n')", "T0111", "a '{' of an f-string is not closed"),
        ("print(f'n}')", "T0111", "a single '}' in an f-string: write '}}'"),
        ("print(f'{}')", "T0111", "a field of an f-string needs an expression and a plain format"),
        ("print(f'{n!r}')", "T0111", "conversions such as '!r' are not part of the language"),
        ("print(f'{n +}')", "T0111", "this field of an f-string is no expression"),
        ("print(f'{n] + [n}')", "T0111", "a '{' of an f-string is not closed"),
        ("print(f'{unknown}')", "T0201", "unknown name 'unknown'"),
        ("print(n, sep=3)", "T0403", "print: expected a string, found the constant 3"),
        (
            "print(zeros((256, 256)))",
            "T0303",
            "print: the tile has 65536 elements; at most 16384 can be printed",
        ),
        (
            "assert n > 3, f'{n}'",
            "T0403",
            "the message of an assertion is a compile-time value, found a string that only the"
            " running kernel knows",
        ),
    ],
)
def test_mistake(frontend, body, code, message):
    found = frontend.error(body)
    assert found[0] == code
    assert found[2].startswith(message)


def test_the_place_of_a_mistake_in_an_f_string(frontend):
    (found,) = frontend.diagnostics("x = 1\nprint(f'{n}' f'abc {x + y}')")
    assert (found.span.line, found.span.column) == (4, 29)


@pytest.mark.parametrize("body", ["print('%d' % n)", "print('a' + 'b')", "x = 'a' * 2"])
def test_strings_are_no_numbers(frontend, body):
    (item,) = frontend.diagnostics(body)
    assert item.code == "T0311"
    assert item.hint == "strings are printed only: give 'print' several values, or an f-string"
