import Foundation

/// Takes scratch directories away when INT, TERM or HUP ends the program while they are in use. What runs then may call
/// little more than `unlink`, so all names are written down before.
enum ScratchRemoval {
  typealias Ticket = Int

  /// A verdict has one at a time; several may be found at once in one process.
  private static let capacity = 64
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Each the names of files and of their directory, behind each other, each closed by a zero, and one zero more.
  private nonisolated(unsafe) static let names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = {
    let table = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: capacity)
    table.initialize(repeating: nil, count: capacity)
    return table
  }()
  /// What the signals did before.
  private nonisolated(unsafe) static let earlier: UnsafeMutablePointer<sighandler_t?> = {
    let table = UnsafeMutablePointer<sighandler_t?>.allocate(capacity: signals.count)
    table.initialize(repeating: nil, count: signals.count)
    return table
  }()
  private static let lock = NSLock()
  private nonisolated(unsafe) static var used = 0

  /// Nil when there are too many: then a signal leaves this one behind.
  static func promise(files: [String], directory: String) -> Ticket? {
    lock.lock()
    defer { lock.unlock() }
    guard let place = (0..<capacity).first(where: { names[$0] == nil }) else { return nil }
    var bytes: [CChar] = []
    for name in files + [directory] { bytes += Array(name.utf8CString) }
    bytes.append(0)
    let block = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    block.initialize(from: bytes, count: bytes.count)
    if used == 0 { watch() }
    used += 1
    names[place] = block
    return place
  }

  static func forget(_ ticket: Ticket) {
    lock.lock()
    defer { lock.unlock() }
    guard let block = names[ticket] else { return }
    names[ticket] = nil
    used -= 1
    if used == 0 { unwatch() }
    block.deallocate()
  }

  /// Until `letSignals` those that end the program wait.
  static func holdSignals() -> sigset_t {
    var held = sigset_t()
    var before = sigset_t()
    sigemptyset(&held)
    for number in signals { sigaddset(&held, number) }
    pthread_sigmask(SIG_BLOCK, &held, &before)
    return before
  }

  static func letSignals(_ before: sigset_t) {
    var before = before
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  private static func watch() {
    for (place, number) in signals.enumerated() {
      earlier[place] = signal(number, handler)
      // Who started us wants this one to do nothing.
      if unsafeBitCast(earlier[place], to: Int.self) == 1 { signal(number, SIG_IGN) }
    }
  }

  private static func unwatch() {
    for (place, number) in signals.enumerated() { signal(number, earlier[place]) }
  }

  private static let handler: @convention(c) (Int32) -> Void = { number in
    for place in 0..<ScratchRemoval.capacity {
      guard var name = ScratchRemoval.names[place] else { continue }
      while name.pointee != 0 {
        // The last is the directory, which `unlink` leaves alone.
        if unlink(name) != 0 { rmdir(name) }
        name += strlen(name) + 1
      }
    }
    ScratchRemoval.unwatch()
    raise(number)
  }
}
