// BatonCommand: being built.
