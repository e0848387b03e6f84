// PeerTransport: being built.
