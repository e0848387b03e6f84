import CBaton
import Coordinator
import Glibc
import TestKit

/// A program in C with its own directory. Its callbacks record their calls.
final class Caller {
  private let own = TemporaryDirectory()
  /// The recorded calls.
  var called: [String] = []
  /// The lock that `cut_off` probes.
  var lock: String
  /// The amount that `settled` reports, and the code that it returns.
  var settled: UInt64?
  var settledCode = BATON_OK
  /// The container id of the last started node.
  private(set) var container: [UInt8] = []
  private var handles: [OpaquePointer] = []

  init() { lock = own("AppGroup/locks/app.lock") }

  var path: String { own.path }

  deinit { for handle in handles { baton_close(handle) } }

  var lockIsFree: Bool {
    let descriptor = Glibc.open(lock, O_RDWR)
    defer { Glibc.close(descriptor) }
    return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  func open(
    _ role: Int = BATON_APP, _ directory: String? = nil, reading: baton_body? = nil,
    changing change: (inout baton_options) -> Void = { _ in }
  ) -> (code: Int32, handle: OpaquePointer?) {
    let table = strdup("CREATE TABLE payments (number INTEGER NOT NULL, memo TEXT, bytes BLOB, share REAL)")
    let place = strdup(directory ?? path + "/AppGroup")
    defer {
      free(table)
      free(place)
    }
    let migrations = [UnsafePointer(table)]
    return migrations.withUnsafeBufferPointer { steps in
      var options = baton_options()
      options.role = Int32(role)
      options.directory = UnsafePointer(place)
      options.migrations = steps.baseAddress
      options.migration_count = 1
      options.read_state = reading ?? readsState
      options.settled = tellsWhatIsSettled
      options.cut_off = cutsOff
      options.context = Unmanaged.passUnretained(self).toOpaque()
      change(&options)
      var handle: OpaquePointer?
      let code = baton_open(&options, &handle)
      if let handle { handles.append(handle) }
      return (code, handle)
    }
  }

  func close(_ handle: OpaquePointer?) {
    handles.removeAll { $0 == handle }
    baton_close(handle)
  }

  func event(
    _ handle: OpaquePointer?, _ kind: Int, id: UInt64 = 0, code: Int = 0, number: UInt64 = 0,
    _ bytes: [UInt8] = []
  ) -> Int32 {
    bytes.withUnsafeBufferPointer {
      var message = baton_message()
      message.kind = Int32(kind)
      message.id = id
      message.code = Int32(code)
      message.number = number
      message.bytes = $0.baseAddress
      message.length = bytes.count
      return baton_event(handle, &message)
    }
  }

  /// Fetches all messages; a started node connects at once, a stopped one stops at once.
  func carryOut(_ handle: OpaquePointer?) -> [(kind: Int, id: UInt64, code: Int)] {
    var asked: [(Int, UInt64, Int)] = []
    var message = baton_message()
    while baton_next(handle, &message) == Int32(BATON_OK) {
      asked.append((Int(message.kind), message.id, Int(message.code)))
      if message.kind == Int32(BATON_START_NODE) {
        #expect(message.length == 16 && message.bytes != nil)
        container = Array(UnsafeBufferPointer(start: message.bytes, count: message.length))
        _ = event(handle, BATON_EVENT_ESTABLISHED, id: message.id)
      }
      if message.kind == Int32(BATON_STOP_NODE) { _ = event(handle, BATON_EVENT_STOPPED, id: message.id) }
    }
    return asked
  }

  func error(_ handle: OpaquePointer?) -> String { String(cString: baton_error(handle)) }
}

// MARK: Callbacks

private func caller(_ context: UnsafeMutableRawPointer?) -> Caller? {
  context.map { Unmanaged<Caller>.fromOpaque($0).takeUnretainedValue() }
}

private func readsState(_ access: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
  caller(context)?.called.append("read")
  let isRefused = baton_found(access, [UInt8](repeating: 0, count: 32), 1, nil) == Int32(BATON_MISUSE)
  return Int32(isRefused ? BATON_OK : BATON_CALLERS)
}

private func tellsWhatIsSettled(
  _ access: OpaquePointer?, _ hash: UnsafePointer<UInt8>?, _ since: Int64, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let caller = caller(context) else { return Int32(BATON_CALLERS) }
  let year2020: Int64 = 1_577_836_800_000_000_000
  caller.called.append("settled \(hash.map { "\($0[0]) \($0[31])" } ?? (since > year2020 ? "since" : "?"))")
  if let amount = caller.settled {
    expect(baton_found(access, [UInt8](repeating: 9, count: 32), amount, "coffee"), is: Int32(BATON_OK))
    expect(baton_found(access, nil, amount, nil), is: Int32(BATON_MISUSE))
  }
  return Int32(caller.settledCode)
}

private func cutsOff(_ lease: UInt64, _ context: UnsafeMutableRawPointer?) {
  guard let caller = caller(context) else { return }
  caller.called.append("cut off \(lease), the lock is \(caller.lockIsFree ? "free" : "held")")
}
