// DaemonRuntime: what every daemon needs: event loop, clock, journal, option parser, the text format of local
// sockets, and starting children. It decides nothing about ownership, and imports no Foundation: the extension has
// 24 MB and starts in 1 ms.

import CLinux
import Ground
import Glibc

/// One thread, one epoll descriptor: runs all handlers of a daemon, one at a time.
///
/// A handler may remove itself or any other watch, even one whose event is already fetched: each watch has a
/// generation, and an event of an older generation is dropped.
public final class EventLoop {
  /// What a descriptor is ready for. Hang-up and error are always reported, asked for or not.
  public struct Readiness: OptionSet, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let readable = Readiness(rawValue: baton_epoll_in)
    public static let writable = Readiness(rawValue: baton_epoll_out)
    public static let hangUp = Readiness(rawValue: baton_epoll_hang_up)
    public static let error = Readiness(rawValue: baton_epoll_error)
  }

  private struct Watch {
    var generation: UInt32
    var handler: (Readiness) -> Void
  }

  private let epoll: Int32
  private let timer: Int32
  private var signals: Int32 = -1
  private var signalMask: UInt64 = 0
  private var signalHandlers: [Int32: () -> Void] = [:]
  private var watches: [Int32: Watch] = [:]
  private var nextGeneration: UInt32 = 1
  /// By their instants, those of one instant in the order in which they were set.
  private var timers: [LoopTimer] = []
  private var nextTimerOrder: UInt64 = 0
  private var armedFor: Instant?
  /// From when on the armed timer is due: its instant, or when it was armed for a past one.
  private var dueSince: Instant?
  private var posted: [() -> Void] = []
  /// From `stop()` until `run()` returns.
  private(set) var isStopping = false
  /// Called when a timer was due for `lateAfter` or longer, or a handler took so long: the process was stopped, or busy
  /// with one thing. The argument is the instant at which the timer was due, or the handler began.
  public var onLate: (Instant) -> Void = { _ in }
  public var lateAfter = TimeSpan.seconds(1)
  /// The buffer into which connections receive a packet, one per loop. Only pages that a packet has ever filled are
  /// resident.
  let packetBuffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ControlMessage.maximumSize, alignment: 16)
  /// The result of one wait; kept to avoid an allocation per wait.
  private var ready = [baton_ready](repeating: baton_ready(), count: 64)

  public init() throws(SystemError) {
    // A write to a closed connection must return EPIPE, not kill the daemon.
    signal(SIGPIPE, SIG_IGN)
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    if epoll < 0 { throw SystemError("start the event loop") }
    timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    // From here on the value is complete: a throw runs `deinit`, which closes both.
    if timer < 0 { throw SystemError("create a timer") }
    try watch(timer, .readable) { [unowned self] _ in fireDueTimers() }
  }

  deinit {
    packetBuffer.deallocate()
    if signals >= 0 { close(signals) }
    if timer >= 0 { close(timer) }
    close(epoll)
  }

  // MARK: Descriptors

  /// The loop does not own the descriptor: unwatch it before closing it.
  public func watch(
    _ descriptor: Int32, _ interest: Readiness, _ handler: @escaping (Readiness) -> Void
  ) throws(SystemError) {
    let generation = nextGeneration
    let operation = watches[descriptor] == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
    try control(operation, descriptor, interest, generation)
    nextGeneration &+= 1
    watches[descriptor] = Watch(generation: generation, handler: handler)
  }

  /// Changes what a watched descriptor is watched for; a descriptor that is not watched stays so.
  public func change(_ descriptor: Int32, to interest: Readiness) throws(SystemError) {
    guard let watch = watches[descriptor] else { return }
    try control(EPOLL_CTL_MOD, descriptor, interest, watch.generation)
  }

  public func unwatch(_ descriptor: Int32) {
    guard watches.removeValue(forKey: descriptor) != nil else { return }
    _ = baton_epoll_control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0)
  }

  public func isWatching(_ descriptor: Int32) -> Bool { watches[descriptor] != nil }

  private func control(
    _ operation: Int32, _ descriptor: Int32, _ interest: Readiness, _ generation: UInt32
  ) throws(SystemError) {
    let token = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    if baton_epoll_control(epoll, operation, descriptor, interest.rawValue, token) != 0 {
      throw SystemError("watch descriptor \(descriptor)")
    }
  }

  // MARK: Processes and signals

  /// Calls the handler once, when the process of the pidfd has ended.
  public func watchProcess(_ pidfd: Int32, _ handler: @escaping () -> Void) throws(SystemError) {
    try watch(pidfd, .readable) { [unowned self] _ in
      unwatch(pidfd)
      handler()
    }
  }

  /// From now on the signal is a readable event of this loop; its default action no longer happens.
  public func onSignal(_ number: Int32, _ handler: @escaping () -> Void) throws(SystemError) {
    guard number > 0, number < 64 else { throw SystemError("watch signal \(number)", code: EINVAL) }
    let mask = signalMask | 1 << UInt64(number)
    let descriptor = baton_signal_descriptor(signals, mask)
    if descriptor < 0 { throw SystemError("watch signal \(number)") }
    signalMask = mask
    signalHandlers[number] = handler
    if signals < 0 {
      signals = descriptor
      try watch(descriptor, .readable) { [unowned self] _ in readSignals() }
    }
  }

  private func readSignals() {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    while read(signals, &information, size) == size {
      signalHandlers[Int32(truncatingIfNeeded: information.ssi_signo)]?()
    }
  }

  // MARK: Timers

  public var now: Instant { Clock.monotonicNow }

  /// Calls the handler once, at that instant of the monotonic clock or as soon after as the loop gets there.
  @discardableResult public func at(_ instant: Instant, _ handler: @escaping () -> Void) -> LoopTimer {
    let timer = LoopTimer(instant: instant, order: nextTimerOrder, handler: handler) { [weak self] in
      self?.forget($0)
    }
    nextTimerOrder += 1
    timers.insert(timer, at: place(of: timer))
    arm()
    return timer
  }

  /// By bisection: a peer with 20,000 connections sets and cancels some timers with each message.
  private func place(of timer: LoopTimer) -> Int {
    var low = 0
    var high = timers.count
    while low < high {
      let middle = (low + high) / 2
      let other = timers[middle]
      if (other.instant, other.order) < (timer.instant, timer.order) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  @discardableResult public func after(_ span: TimeSpan, _ handler: @escaping () -> Void) -> LoopTimer {
    at(now + span, handler)
  }

  /// The number of pending timers.
  public var timerCount: Int { timers.count }

  private func forget(_ timer: LoopTimer) {
    let place = place(of: timer)
    if place < timers.count, timers[place] === timer { timers.remove(at: place) }
    arm()
  }

  private func arm() {
    let earliest = timers.first?.instant
    guard earliest != armedFor else { return }
    // A handler that cancels an overdue timer must not hide that it was late.
    noteLateness()
    armedFor = earliest
    dueSince = earliest.map { max($0, now) }
    // 0 disarms the timer, so an instant in the past becomes 1 ns.
    let at = earliest.map { max(1, $0.nanoseconds) } ?? 0
    var alarm = itimerspec()
    alarm.it_value = timespec(tv_sec: Int(at / 1_000_000_000), tv_nsec: Int(at % 1_000_000_000))
    timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &alarm, nil)
  }

  private func fireDueTimers() {
    var expirations: UInt64 = 0
    _ = read(timer, &expirations, MemoryLayout<UInt64>.size)
    noteLateness()
    armedFor = nil
    // Only timers that are due now: a handler that sets a timer in the past must not starve the rest.
    let current = now
    let limit = nextTimerOrder
    while let place = timers.firstIndex(where: { $0.order < limit }), timers[place].instant <= current {
      timers.remove(at: place).fire()
    }
    arm()
  }

  private func noteLateness() {
    guard let since = dueSince else { return }
    dueSince = nil
    noteLateness(since: since)
  }

  private func noteLateness(since instant: Instant) {
    if now - instant >= lateAfter { onLate(instant) }
  }

  // MARK: Running

  /// Runs the work after the current handler has returned, before the loop waits again.
  public func post(_ work: @escaping () -> Void) { posted.append(work) }

  /// Returns after `stop()`, even if that was called before `run()`; work posted before is still run.
  public func run() throws(SystemError) {
    defer { isStopping = false }
    while !isStopping { try turn(waitingMilliseconds: -1) }
    runPosted()
  }

  public func stop() { isStopping = true }

  /// Runs until the condition holds or the span has passed; returns whether it holds. For command-line programs and
  /// tests.
  public func run(for span: TimeSpan, until condition: () -> Bool) throws(SystemError) -> Bool {
    let end = now + span
    let waker = at(end) {}
    defer { waker.cancel() }
    while !condition() {
      if now >= end { return false }
      // Posted work may meet the condition, and no event may come to end the wait.
      guard posted.isEmpty else {
        runPosted()
        continue
      }
      try turn(waitingMilliseconds: -1)
    }
    return true
  }

  /// One wait, and the dispatch of its events.
  public func turn(waitingMilliseconds timeout: Int32) throws(SystemError) {
    runPosted()
    if isStopping { return }
    let count = baton_epoll_wait(epoll, &ready, Int32(ready.count), posted.isEmpty ? timeout : 0)
    if count < 0 {
      if errno == EINTR { return }
      throw SystemError("wait for events")
    }
    for event in ready.prefix(Int(count)) {
      let descriptor = Int32(bitPattern: UInt32(truncatingIfNeeded: event.token))
      let generation = UInt32(truncatingIfNeeded: event.token >> 32)
      guard let watch = watches[descriptor], watch.generation == generation else { continue }
      let began = now
      watch.handler(Readiness(rawValue: event.events))
      runPosted()
      // Stopped inside it, the process may set a timer that was due meanwhile, and that is then not late.
      noteLateness(since: began)
      if isStopping { return }
    }
  }

  private func runPosted() {
    while !posted.isEmpty {
      let batch = posted
      posted = []
      for work in batch { work() }
    }
  }
}
