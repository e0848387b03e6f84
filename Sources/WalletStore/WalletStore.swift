// WalletStore: being built.
