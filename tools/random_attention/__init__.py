"""Calls the attention examples with random shapes on the GPU, and compares with f64 and a peer.

    python -m tools.random_attention --compile --jobs 16    # compiles ahead; needs no GPU
    python -m tools.random_attention --count 500

The peer is FlashAttention-3 where it has the case, else torch with weights that are rounded once. A
case is wrong if an element is farther from f64 than roundings explain, if an element or the whole
is farther from it than the peer by a factor, or if memory outside of the result changes. A kernel
that does not end ends the run. Each line starts with the seed, which repeats the case as `--first`.
"""
