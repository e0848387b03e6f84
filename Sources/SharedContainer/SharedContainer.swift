// SharedContainer: being built.
