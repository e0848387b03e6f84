// LSPd: being built.
