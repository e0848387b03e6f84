import Ground
import DaemonRuntime
import Glibc
import PhonePolicy

/// One running child: its process, its channel, its figures.
final class WalletChild {
  let role: Role
  let process: ChildProcess
  let ledgerID: UInt64
  /// The last sample; nil before the first.
  private(set) var memory: MemoryFigures?
  /// The highest sampled footprint: the kernel keeps no such figure.
  private(set) var peakFootprintBytes: UInt64?
  private var lastReportedFootprint: UInt64 = 0
  /// The fields of its last `status` message.
  var status: [ControlMessage.Field] = []
  /// The fields of its last `screen` message; nil before the first.
  var screen: [ControlMessage.Field]?
  /// It has sent a message.
  private(set) var hasSpoken = false
  /// When iosd killed it; the delay until its end is journaled.
  var killedAt: Instant?

  private let connection: UnixConnection
  private let loop: EventLoop
  private var poll: LoopTimer?
  private let memoryLimit: UInt64
  private let warningLimit: UInt64
  private var isAboveWarning = false
  private let onSample: (MemoryFigures) -> Void

  /// `onSample` is called with each relevant sample.
  init?(
    role: Role, process: ChildProcess, ledgerID: UInt64, memoryLimit: UInt64, warningLimit: UInt64,
    loop: EventLoop, onMessage: @escaping (ControlMessage) -> Void,
    onHangUp: @escaping (UnixConnection.End) -> Void, onSample: @escaping (MemoryFigures) -> Void
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
    // Sample with every message, so that even a short-lived process has figures.
    connection.onMessage = { [unowned self] message in
      hasSpoken = true
      sampleMemory()
      onMessage(message)
    }
    connection.onEnd = onHangUp
    connection.start()
  }

  /// Sampled before the first message is sent too, so every process has a figure from before its first work.
  func send(_ message: ControlMessage) {
    sampleMemory()
    connection.send(message)
  }

  /// Set from SIGSTOP until SIGCONT.
  private(set) var isSuspended = false
  /// How often it was suspended.
  private(set) var suspensions: UInt64 = 0

  func suspend() {
    isSuspended = true
    suspensions &+= 1
    process.send(SIGSTOP)
  }

  func resume() {
    isSuspended = false
    // No warning reached the suspended process: a footprint above the limit is reported again.
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

  /// A sample becomes an event of the core when it is above the limit, crosses the warning limit, or is 1 MiB above
  /// the last reported one; other samples would only flood the journal. A dead process has no figures.
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

  /// Whether the kernel has reported its end, even if the loop has not handled it yet.
  var hasEnded: Bool {
    var waiting = pollfd(fd: process.pidfd, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&waiting, 1, 0) > 0
  }

  /// Called after its death. Messages that it sent before still count, so the channel is read to its end first.
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
