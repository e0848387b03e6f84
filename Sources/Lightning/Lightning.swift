// Lightning: being built.
