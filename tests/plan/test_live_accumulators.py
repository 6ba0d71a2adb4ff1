"""Which accumulators are live at the same time."""

from tilec.plan.live_accumulators import Body, Step, live_together


def loop(body, yields, arguments, results, inits=("zeros",)):
    """Return a loop that begins with `inits`; `arguments` go around it."""
    return Step(results, inits, (Body(tuple(body), yields, arguments),))


def product(result, added, *operands):
    return Step((result,), (*operands, added), added=added)


ZEROS = Step(("zeros",))


def test_two_products_of_one_loop_hold_two_accumulators():
    body = [product("p", "x", "a", "v"), product("q", "y", "a", "w")]
    sums = loop(body, ("p", "q"), ("x", "y"), ("r", "s"), ("zeros", "zeros"))
    program = Body((ZEROS, sums, Step(("t",), ("r", "s"))))
    assert live_together(program) == {"p": ("q",), "q": ("p",)}


def test_products_that_add_to_one_accumulator_hold_one():
    body = [product("p", "x", "a", "v"), product("q", "p", "b", "w")]
    sums = loop(body, ("q",), ("x",), ("r",))
    assert live_together(Body((ZEROS, sums))) == {"p": (), "q": ()}


def test_scores_are_gone_before_the_product_that_they_are_multiplied_in():
    """The accumulator of the result is kept, scaled on the way, while scores are computed."""
    body = [
        product("s", "zeros", "q", "k"),
        Step(("weights",), ("s",)),
        Step(("scaled",), ("acc", "weights")),
        product("next", "scaled", "weights", "v"),
    ]
    attention = loop(body, ("next",), ("acc",), ("out",))
    assert live_together(Body((ZEROS, attention))) == {"s": ("next",), "next": ()}


def test_what_one_loop_has_summed_is_live_in_the_next_one_if_it_is_used_after():
    first = loop([product("p", "x", "a", "b")], ("p",), ("x",), ("r",))
    second = loop([product("q", "y", "c", "d")], ("q",), ("y",), ("s",))
    both = Step(("t",), ("r", "s"))
    assert live_together(Body((ZEROS, first, second, both))) == {"p": (), "q": ("p",)}
    stored = Step((), ("r",))
    assert live_together(Body((ZEROS, first, stored, second))) == {"p": (), "q": ()}
    going_on = loop([product("q", "y", "c", "d")], ("q",), ("y",), ("s",), ("r",))
    assert live_together(Body((ZEROS, first, going_on))) == {"p": (), "q": ()}


def test_products_without_a_loop_begin_with_zeros_of_their_own():
    ops = (product("p", "zeros", "a", "b"), product("q", "zeros", "c", "d"))
    assert live_together(Body((ZEROS, *ops, Step(("t",), ("p", "q"))))) == {"p": (), "q": ("p",)}


def test_a_branch_passes_its_accumulator_on():
    branch = Step(("r",), (), (Body((product("p", "acc", "a", "b"),), ("p",)), Body((), ("acc",))))
    body = [branch, product("q", "other", "a", "c")]
    sums = loop(body, ("r", "q"), ("acc", "other"), ("x", "y"), ("zeros", "zeros"))
    assert live_together(Body((ZEROS, sums))) == {"p": ("q",), "q": ("p",)}


def test_tiles_that_a_loop_carries_are_live_with_products_if_asked():
    """The result of a product is scaled before it is added to the sum."""
    body = [product("p", "zeros", "a", "b"), Step(("next",), ("sum", "p"))]
    program = Body((ZEROS, loop(body, ("next",), ("sum",), ("out",))))
    assert live_together(program) == {"p": ()}
    assert live_together(program, carried=True) == {"p": ("sum",)}
