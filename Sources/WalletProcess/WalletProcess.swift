// WalletProcess: being built.
