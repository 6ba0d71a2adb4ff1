"""Wrong inputs of every kind: sources, dumps, packages and words of the command.

    python -m tools.fuzz_inputs --count 1000 --jobs 8 --keep failures

makes each from a number, and gives it to tilec in a process of its own. A diagnostic with its exit
code is right, and so is success, since an edit may leave something that works. A traceback, an
internal error, a process that dies, one that takes more than 20 s of the processor, and a failure
without a message are not: they are printed, and the exit status is 1.

`texts` edits `.tile` sources, `packages` damages packages, `words` draws command lines; dumps are
edited by `tools.mutate_ir`, which resumes them without the command, too. `trial` runs one input,
`shrinking` makes a source that fails smaller, `command` is the command.
"""
