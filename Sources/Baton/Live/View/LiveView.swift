import PhonePolicy

/// A phone at one moment, as `baton watch` draws it and `baton serve` sends it.
package struct LiveView: Report, Hashable {
  /// Who holds the node, or held it last.
  package struct Holder: Report, Hashable {
    package var sentence = ""
    /// app or extension; missing before the first claim.
    package var role: String?
    package var pid: Int32?
    package var epoch: UInt64?
    package var because: String?
    package var claimedAtWallNs: Int64?
    /// Its role lock is held.
    package var isHeld = false
    /// Stopped by a signal.
    package var isStopped = false
    /// The container cannot be read, so nothing is known.
    package var isUnknown = false
    package var phase: String?
    package var beat: UInt64?
    package var beatAtWallNs: Int64?
  }

  /// A daemon, or a process of the wallet.
  package struct Process: Report, Hashable {
    package var name: String
    package var pid: Int32?
    package var state: String
    package var footprintBytes: UInt64?
    package var residentBytes: UInt64?
    /// What it shows or does.
    package var text: String?
  }

  package struct Peer: Report, Hashable {
    package var sentence = ""
    package var isConnected = false
    package var isEstablished = false
    package var epoch: UInt64?
    /// Payments that the peer holds for the wallet, and those that it has offered.
    package var held = 0
    package var offered = 0
  }

  package struct Push: Report, Hashable {
    package var id: UInt64
    /// visible, silent, or badge or sound.
    package var kind: String
    package var fate: String
    package var atWallNs: Int64
  }

  package struct Payment: Report, Hashable {
    /// received or sent.
    package var way: String
    package var id: Int64
    package var amountMsat: UInt64
    package var paymentHash: String
    /// paid, pending, failed or lost.
    package var state: String
    package var atWallNs: Int64
  }

  /// The end of a process of the wallet.
  package struct End: Report, Hashable {
    package var process: String
    package var pid: Int32
    /// By a signal, or by a crash of its own.
    package var wasKilled: Bool
    package var reason: String
    package var atWallNs: Int64
  }

  /// A sentence of a journal.
  package struct Event: Report, Hashable {
    package var process: String
    package var text: String
    package var atWallNs: Int64
  }

  package var home: String
  /// The moment, on the phone's clock.
  package var wallNs: Int64
  package var holder = Holder()
  package var processes: [Process] = []
  package var peer = Peer()
  /// phoenix or bitkit.
  package var wallet: String?
  package var balanceMsat: UInt64?
  package var receivableMsat: UInt64?
  package var payments: [Payment] = []
  /// Counted by a look only up to a limit: a look may not cost more with a wallet's age.
  package var paymentsReceived: Int64 = 0
  /// False: there are more.
  package var paymentsReceivedIsExact = true
  package var pushes: [Push] = []
  package var pushesCount: UInt64 = 0
  package var ends: [End] = []
  package var events: [Event] = []
  package var problems: [String] = []
}

/// What `baton serve` prints.
package struct ServeAddress: Report {
  package var home: String
  /// With the token; it opens the page.
  package var url: String
  package var port: Int64
  /// For `Authorization: Bearer`.
  package var token: String
  package var control: Bool
}

/// The answer to a done action.
package struct ServeDone: Report {
  package var did: String
  package var sentence: String

  package init(_ outcome: LiveOutcome) {
    did = outcome.action.rawValue
    sentence = outcome.sentence
  }
}
