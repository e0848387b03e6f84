// Crypto: being built.
