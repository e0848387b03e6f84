import DaemonRuntime
import PhonePolicy
import SharedContainer

/// A phone as it is now, by its container, iosd and lspd. `status`, `watch`, `serve` and `/metrics` render it, and it is
/// their JSON document.
package struct RunView: Report, Hashable {
  package var home: String
  /// The moment, on the phone's clock.
  package var wallNs: Int64
  /// phoenix or bitkit.
  package var wallet: String?
  package var holder = ContainerReport.Holder(verdict: "unknown", sentence: "unknown")
  package var appWantsNode: Bool?
  /// The process inside a transaction.
  package var writer: Int32?
  package var balanceMsat: UInt64?
  package var receivableMsat: UInt64?
  package var sendingPayments: Int?
  package var sendingMsat: UInt64?
  /// The txid of a pending splice, and its state.
  package var splice: String?
  package var spliceState: String?
  package var problems: [String] = []
  /// Why the container cannot be read.
  package var containerTrouble: String?
  package var iosdRunning = false
  package var iosdTrouble: String?
  package var iosd: PhoneFacts?
  /// Wallet processes that were not started by iosd.
  package var byHand: [HandRunProcess] = []
  /// Of app and extension, those that are stopped, and not by iosd.
  package var frozen: [String] = []
  /// The wallet's connection at the peer, or why lspd does not say it.
  package var peer = "unknown"
  package var lspd: PeerFacts?
  package var lspdRunning = false
  package var lspdTrouble: String?

  package init(home: String, wallNs: Int64) { (self.home, self.wallNs) = (home, wallNs) }

  /// `container` is what was read of it before.
  package init(_ phone: Phone, container: Result<ContainerReport, ContainerError>) {
    self.init(home: phone.home, wallNs: phone.clock.wallNanoseconds)
    wallet = HomeWallet.name(of: phone)
    switch container {
    case .success(let report): show(report)
    case .failure(.missing) where !phone.hasRun, .failure(.notAContainer) where !phone.hasRun,
      .failure(.neverBegun) where !phone.hasRun:
      holder = .init(
        verdict: HolderVerdict.neverClaimed.word, sentence: "no process: the wallet has never run")
    case .failure(let error):
      containerTrouble = error.description
      holder.sentence = "unknown: \(error.description)"
    }
    byHand = HandRunProcess.all(of: phone)
    let iosd = DaemonAnswer<PhoneFacts>(to: ControlMessage("status"), from: .iosd, of: phone)
    (self.iosd, iosdRunning) = (iosd.facts, iosd.isRunning)
    iosdTrouble = byHand.first?.sentence ?? iosd.trouble(of: .iosd)
    frozen = [("app", iosd.facts?.app), ("extension", iosd.facts?.extension)].compactMap { name, facts in
      facts?.isFrozen == true ? name : nil
    }
    let lspd = DaemonAnswer<PeerFacts>(to: ControlMessage("status"), from: .lspd, of: phone)
    (self.lspd, lspdRunning, lspdTrouble) = (lspd.facts, lspd.isRunning, lspd.trouble(of: .lspd))
    peer = lspd.facts.map { $0.connection + $0.waiting } ?? lspdTrouble?.onOneLine ?? peer
  }

  private mutating func show(_ report: ContainerReport) {
    holder = report.holder
    appWantsNode = report.snapshot.appWantsNode
    writer = report.snapshot.writer?.pid
    balanceMsat = report.wallet.channels.first?.localMsat
    receivableMsat = report.wallet.channels.first?.remoteMsat
    sendingPayments = report.wallet.sending.count
    sendingMsat = report.wallet.sendingMsat
    if let pending = report.wallet.splices.last, !pending.isOver {
      (splice, spliceState) = (pending.txid, pending.state)
    }
    problems = report.problems
  }
}

/// What a live screen shows beside the phone's state: the last rows and sentences.
package struct RecentRun: Report, Hashable {
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

  package struct Push: Report, Hashable {
    package var id: UInt64
    /// visible, silent, or badge or sound.
    package var kind: String
    package var fate: String
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

  package var processes: [Process] = []
  package var payments: [PaymentEntry] = []
  /// Counted by a look only up to a limit: a look may not cost more with a wallet's age.
  package var paymentsReceived: Int64 = 0
  /// False: there are more.
  package var paymentsReceivedIsExact = true
  package var pushes: [Push] = []
  package var pushesCount: UInt64 = 0
  package var ends: [End] = []
  package var events: [Event] = []

  package init() {}
}

/// A phone at one moment, as `baton watch` draws it and `baton serve` sends it.
package typealias LiveView = Joined<RunView, RecentRun>
