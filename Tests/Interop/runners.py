"""What lnprototest drives: a fresh lspd that it dials, or wallets that dial it.

A runner of its own for each end, named as pytest's `--runner` has it; the programs' directory comes by `--runner-args`.
"""
import os

from lnprototest import Conn, EventError, KeySet, Runner

import hostile
from others import (
    ERROR, INIT, PONG, WARNING, Server, dial, end, init, is_hung_up_on, kind, listening, message, ping, reestablish)

# Or each end hangs up on a node that it is to bear: a test says nothing more than it must.
SILENCE_IS_BORNE = ["--ping-after", "0"]
# Of the last look at a connection: no other message has this size.
LAST_PONG = 4321


class Link(Conn):
    """A connection that pyln-proto has shaken hands on."""

    def __init__(self, connprivkey, make):
        super().__init__(connprivkey)
        self.has_greeted = False
        self.connection, self.owner = make(self.connprivkey.secret)

    def close(self):
        self.connection.connection.inner.close()
        if self.owner:
            self.owner.close()


class Ours(Runner):
    """What BOLT 1 needs of a runner. Blocks, transactions and payments are of other tests."""

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
            raise EventError(event, f"hung up before this was sent: {error}") from error
        if kind(outbuf) == INIT:
            self.greeted(conn)

    def greeted(self, conn):
        conn.has_greeted = True

    def get_output_message(self, conn, event):
        try:
            return conn.connection.read_message()
        except (OSError, ValueError):
            return None

    def check_error(self, event, conn):
        """None is what `ExpectDisconnect` wants. Here it means that the other end has hung up, and not merely that it is silent."""
        super().check_error(event, conn)
        return None if is_hung_up_on(conn.connection) else "still connected"

    def check_final_error(self, event, conn, expected, must_not_events):
        try:
            if not expected:
                self.check_that_it_holds(event, conn)
        finally:
            conn.close()

    def check_that_it_holds(self, event, conn):
        """All that was sent is behind it, and the connection still works."""
        if not conn.has_greeted:
            self.recv(event, conn, init())
        self.recv(event, conn, ping(LAST_PONG))
        while True:
            said = self.get_output_message(conn, event)
            if said is None:
                raise EventError(event, "hung up")
            if kind(said) in (ERROR, WARNING):
                raise EventError(event, f"complains: {said.hex()}")
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

    def of_no_use(self, *_, **__):
        raise NotImplementedError("BOLT 1 has no use for it")

    trim_blocks = add_blocks = expect_tx = invoice = accept_add_fund = fundchannel = init_rbf = of_no_use
    addhtlc = add_startup_flag = close_channel = of_no_use


class Lspd(Ours):
    """Each connection is one more node that dials the same lspd. None shows a claim: all are visitors."""

    def start(self):
        super().start()
        self.process, self.address = listening(self.programs, self.home(), *SILENCE_IS_BORNE)

    def stop(self, print_logs=False):
        was_running = self.running
        super().stop()
        if was_running:
            end(self.process, "lspd")

    def make(self, secret):
        return dial(self.address, secret), None


class Wallet(Ours):
    """A wallet has one peer, so each connection is a new wallet that dials the node of this key."""

    def make(self, secret):
        # Tor has more time between dial and init, as a busy machine needs.
        wallet = hostile.Wallet(self.programs, self.home(), *SILENCE_IS_BORNE, "--tor", server=Server(secret))
        return wallet.server.accept(), wallet

    def greeted(self, conn):
        """Without a word about its channel the wallet would hang up within seconds, whatever the test is about."""
        super().greeted(conn)
        try:
            conn.connection.send_message(reestablish())
        except OSError:
            pass
