// MainAppd: being built.
