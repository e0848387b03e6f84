// IOSd: being built.
