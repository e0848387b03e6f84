import Ground
import DaemonRuntime
import Glibc
import PhonePolicy

/// One running child: its process, its channel, its figures.
final class WalletChild {
  let role: Role
  let process: ChildProcess
  let ledgerID: UInt64
  /// As last read; nil before the first time.
  private(set) var memory: MemoryFigures?
  /// The highest footprint of all that were read: the kernel keeps no such figure.
  private(set) var peakFootprintBytes: UInt64?
  private var lastReportedFootprint: UInt64 = 0
  /// What it last said about itself, field by field.
  var status: [ControlMessage.Field] = []
  /// When it was killed by us; the delay until its end is worth knowing.
  var killedAt: Instant?

  private let connection: UnixConnection
  private let loop: EventLoop
  private var poll: LoopTimer?
  private let memoryLimit: UInt64
  private let warningLimit: UInt64
  private var isAboveWarning = false
  private let onSample: (MemoryFigures) -> Void

  /// `onSample` is told of each sample that matters.
  init?(
    role: Role, process: ChildProcess, ledgerID: UInt64, memoryLimit: UInt64, warningLimit: UInt64,
    loop: EventLoop,
    onMessage: @escaping (ControlMessage) -> Void, onHangUp: @escaping (UnixConnection.End) -> Void,
    onSample: @escaping (MemoryFigures) -> Void
  ) {
    guard let connection = UnixConnection(adopting: process.channel, loop: loop) else { return nil }
    self.role = role
    self.process = process
    self.ledgerID = ledgerID
    self.connection = connection
    self.loop = loop
    self.memoryLimit = memoryLimit
    self.warningLimit = warningLimit
    self.onSample = onSample
    // Whoever speaks is alive and at work: that is when even a short life has figures.
    connection.onMessage = { [unowned self] message in
      sampleMemory()
      onMessage(message)
    }
    connection.onEnd = onHangUp
    connection.start()
  }

  /// Who has not been told anything yet waits: so each life has a figure from before its first work, at the least.
  func send(_ message: ControlMessage) {
    sampleMemory()
    connection.send(message)
  }

  /// Set from the order to stop it until the order to go on.
  private(set) var isSuspended = false

  func suspend() {
    isSuspended = true
    process.send(SIGSTOP)
  }

  func resume() {
    isSuspended = false
    // What was above the limit while nobody could be warned is above it anew.
    isAboveWarning = false
    process.send(SIGCONT)
  }

  func kill() {
    killedAt = loop.now
    process.send(SIGKILL)
  }

  func pollMemory(every span: TimeSpan) {
    poll = loop.after(span) { [weak self] in
      guard let self else { return }
      sampleMemory()
      if poll != nil { pollMemory(every: span) }
    }
  }

  /// A sample is an event of the core when it is above the limit, across that of the warning, or a MiB above the last
  /// one that was: a journal
  /// that says the same every few milliseconds helps nobody. A dead process has no figures.
  private func sampleMemory() {
    guard let sample = MemoryFigures(of: process.identity.pid) else { return }
    memory = sample
    peakFootprintBytes = max(peakFootprintBytes ?? 0, sample.footprintBytes)
    let step = lastReportedFootprint &+ 1_048_576
    let isAbove = sample.footprintBytes > warningLimit
    let hasCrossed = isAbove != isAboveWarning
    isAboveWarning = isAbove
    guard hasCrossed || sample.footprintBytes > memoryLimit || sample.footprintBytes > step else { return }
    lastReportedFootprint = sample.footprintBytes
    onSample(sample)
  }

  /// Whether the kernel has reported its end, which the loop may not have come to yet.
  var hasEnded: Bool {
    var waiting = pollfd(fd: process.pidfd, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&waiting, 1, 0) > 0
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
