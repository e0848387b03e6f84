import CoreShape
import DaemonRuntime
import Glibc
import PhonePolicy

/// One running child: its process, its channel, its figures.
final class WalletChild {
  let role: PhoneRole
  let process: ChildProcess
  let ledgerID: UInt64
  private(set) var memory = MemoryFigures(footprintBytes: 0, residentBytes: 0)
  private(set) var peak = MemoryFigures(footprintBytes: 0, residentBytes: 0)
  private(set) var lastReportedFootprint: UInt64 = 0
  /// What it last said about itself, field by field.
  var status: [ControlMessage.Field] = []
  /// When it was killed by us; the delay until its end is worth knowing.
  var killedAt: Instant?

  private let connection: UnixConnection
  private let loop: EventLoop
  private var poll: LoopTimer?

  init?(
    role: PhoneRole, process: ChildProcess, ledgerID: UInt64, loop: EventLoop,
    onMessage: @escaping (ControlMessage) -> Void, onHangUp: @escaping (UnixConnection.End) -> Void
  ) {
    guard let connection = UnixConnection(adopting: process.channel, loop: loop) else { return nil }
    self.role = role
    self.process = process
    self.ledgerID = ledgerID
    self.connection = connection
    self.loop = loop
    connection.onMessage = onMessage
    connection.onEnd = onHangUp
    connection.start()
  }

  func send(_ message: ControlMessage) { connection.send(message) }

  func kill() {
    killedAt = loop.now
    process.send(SIGKILL)
  }

  /// Samples the memory again and again; hands over each sample that matters.
  func pollMemory(every span: Span, limit: UInt64, _ report: @escaping (MemoryFigures) -> Void) {
    poll = loop.after(span) { [weak self] in
      guard let self else { return }
      if let sample = MemoryFigures(of: process.identity.pid) { take(sample, limit: limit, report) }
      if poll != nil { pollMemory(every: span, limit: limit, report) }
    }
  }

  /// A sample is an event of the core when it is above the limit, or a MiB above the last one that was: a journal
  /// that says the same every few milliseconds helps nobody.
  private func take(_ sample: MemoryFigures, limit: UInt64, _ report: (MemoryFigures) -> Void) {
    memory = sample
    peak.footprintBytes = max(peak.footprintBytes, sample.footprintBytes)
    peak.residentBytes = max(peak.residentBytes, sample.residentBytes)
    let step = lastReportedFootprint &+ 1_048_576
    guard sample.footprintBytes > limit || sample.footprintBytes > step else { return }
    lastReportedFootprint = sample.footprintBytes
    report(sample)
  }

  /// After its death: what it said before counts, so the channel is read to its end first.
  func finish() -> ChildEnd? {
    poll?.cancel()
    poll = nil
    connection.drain()
    connection.close()
    let end = ChildEnd.reap(process.identity.pid)
    close(process.pidfd)
    return end
  }
}
