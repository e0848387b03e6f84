// Judge: being built.
