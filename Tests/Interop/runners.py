"""Runners for lnprototest: it dials a fresh lspd, or wallets dial it.

One runner per end, named by pytest's `--runner`; the programs' directory comes with `--runner-args`.
"""
import os

from lnprototest import Conn, EventError, KeySet, Runner

import hostile
from others import (
    ERROR, INIT, PONG, WARNING, Server, dial, end, init, is_disconnected, kind, listening, message, ping, reestablish)

# A test sends no pongs: with pings each end would disconnect.
NO_PINGS = ["--ping-after", "0"]
# The size of the last pong: no other message has it.
LAST_PONG = 4321


class Link(Conn):
    """A connection with pyln-proto's handshake."""

    def __init__(self, connprivkey, make):
        super().__init__(connprivkey)
        self.has_sent_init = False
        self.connection, self.owner = make(self.connprivkey.secret)

    def close(self):
        self.connection.connection.inner.close()
        if self.owner:
            self.owner.close()


class BatonRunner(Runner):
    """A runner for BOLT 1, without blocks, transactions and payments."""

    OPTIONS = {"option_data_loss_protect": "odd", "option_static_remotekey": "odd"}
    blockheight = 0

    def __init__(self, config):
        super().__init__(config)
        self.programs = config.getoption("runner_args")[0]
        self.homes = 0
        self.running = False

    def home(self):
        self.homes += 1
        return os.path.join(self.directory, str(self.homes))

    def start(self):
        self.running = True

    def stop(self, print_logs=False):
        self.running = False
        for link in self.conns.values():
            link.close()
        self.conns = {}

    def restart(self):
        self.stop()
        super().restart()
        self.start()

    def is_running(self):
        return self.running

    def connect(self, event, connprivkey):
        self.add_conn(Link(connprivkey, self.make))

    def recv(self, event, conn, outbuf):
        try:
            conn.connection.send_message(outbuf)
        except OSError as error:
            raise EventError(event, f"disconnected before this was sent: {error}") from error
        if kind(outbuf) == INIT:
            self.after_init(conn)

    def after_init(self, conn):
        conn.has_sent_init = True

    def get_output_message(self, conn, event):
        try:
            return conn.connection.read_message()
        except (OSError, ValueError):
            return None

    def check_error(self, event, conn):
        """`ExpectDisconnect` wants None: here the other end has closed the connection, and is not merely silent."""
        super().check_error(event, conn)
        return None if is_disconnected(conn.connection) else "still connected"

    def check_final_error(self, event, conn, expected, must_not_events):
        try:
            if not expected:
                self.check_connection(event, conn)
        finally:
            conn.close()

    def check_connection(self, event, conn):
        """Checks that all messages were processed and the connection still works."""
        if not conn.has_sent_init:
            self.recv(event, conn, init())
        self.recv(event, conn, ping(LAST_PONG))
        while True:
            said = self.get_output_message(conn, event)
            if said is None:
                raise EventError(event, "disconnected")
            if kind(said) in (ERROR, WARNING):
                raise EventError(event, f"sends an error or warning: {said.hex()}")
            if said == message(PONG, LAST_PONG.to_bytes(2, "big") + bytes(LAST_PONG)):
                return

    def has_option(self, optname):
        return self.OPTIONS.get(optname)

    def get_node_privkey(self):
        return "01"

    def get_node_bitcoinkey(self):
        return "10"

    def get_keyset(self):
        return KeySet("11", "12", "13", "14", "FF" * 32)

    def getblockheight(self):
        return self.blockheight

    def not_needed(self, *_, **__):
        raise NotImplementedError("not needed for BOLT 1")

    trim_blocks = add_blocks = expect_tx = invoice = accept_add_fund = fundchannel = init_rbf = not_needed
    addhtlc = add_startup_flag = close_channel = not_needed


class Lspd(BatonRunner):
    """Each connection is another unknown node, without a claim, that dials the same lspd."""

    def start(self):
        super().start()
        self.process, self.address = listening(self.programs, self.home(), *NO_PINGS)

    def stop(self, print_logs=False):
        was_running = self.running
        super().stop()
        if was_running:
            end(self.process, "lspd")

    def make(self, secret):
        return dial(self.address, secret), None


class Wallet(BatonRunner):
    """A wallet has one peer, so each connection is a new wallet that dials the node of this key."""

    def make(self, secret):
        # --tor allows more time between dial and init, as a busy machine needs.
        wallet = hostile.Wallet(self.programs, self.home(), *NO_PINGS, "--tor", server=Server(secret))
        return wallet.server.accept(), wallet

    def after_init(self, conn):
        """Without channel_reestablish the wallet would disconnect within seconds."""
        super().after_init(conn)
        try:
            conn.connection.send_message(reestablish())
        except OSError:
            pass
