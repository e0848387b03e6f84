import CBaton
import Platform

// The functions of `baton.h`, in its order. A handle is a retained `Handle`.

private func handle(_ pointer: OpaquePointer?) -> Handle? {
  pointer.map { Unmanaged<Handle>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

/// The coordinator of an opened handle.
private func opened(_ pointer: OpaquePointer?, _ body: (Handle, NodeCoordinator<CNode>) -> Int32) -> Int32 {
  guard let handle = handle(pointer) else { return Code.misuse }
  guard let coordinator = handle.coordinator else { return handle.misuse("this handle was not opened") }
  return body(handle, coordinator)
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
  pointer.flatMap { String(validatingCString: $0) }
}

@_cdecl("baton_open")
public func open(_ options: UnsafePointer<baton_options>?, _ result: UnsafeMutablePointer<OpaquePointer?>?)
  -> Int32
{
  result?.pointee = nil
  guard let options = options?.pointee, let result else { return Code.misuse }
  let handle = Handle(options)
  result.pointee = OpaquePointer(Unmanaged.passRetained(handle).toOpaque())
  let roles: [Int32: ProcessRole] = [Int32(BATON_APP): .app, Int32(BATON_EXTENSION): .extension]
  guard let role = roles[options.role] else {
    return handle.misuse("the role is neither BATON_APP nor BATON_EXTENSION")
  }
  guard options.cut_off != nil else {
    return handle.misuse("the callback cut_off is missing; it must close the node's socket")
  }
  guard role == .app || options.settled != nil else {
    return handle.misuse("the callback settled is missing; the extension reads settled payments with it")
  }
  guard let directory = text(options.directory) else { return handle.misuse("the directory is not UTF-8") }
  let count = options.migrations == nil ? 0 : options.migration_count
  let migrations = (0..<count).map { text(options.migrations[$0]) }
  guard !migrations.contains(nil) else { return handle.misuse("a migration is not UTF-8") }
  return handle.open(role, directory, migrations.compactMap { $0 })
}

@_cdecl("baton_close") public func close(_ pointer: OpaquePointer?) {
  guard let pointer else { return }
  let handle = Unmanaged<Handle>.fromOpaque(UnsafeRawPointer(pointer))
  // The lock is dropped with the handle.
  handle.takeUnretainedValue().node.cutOff()
  handle.release()
}

@_cdecl("baton_error") public func error(_ pointer: OpaquePointer?) -> UnsafePointer<CChar>? {
  // Static, as no handle could own it.
  guard let handle = handle(pointer) else { return noHandle.pointer }
  return handle.errorText
}

nonisolated(unsafe) private let noHandle: CText = {
  let text = CText()
  text.set("there is no handle")
  return text
}()

@_cdecl("baton_want") public func want(_ pointer: OpaquePointer?) -> Int32 {
  tell(pointer, appCall: "baton_want") { $0.enteredForeground() }
}

@_cdecl("baton_unwant") public func unwant(_ pointer: OpaquePointer?) -> Int32 {
  tell(pointer, appCall: "baton_unwant") { $0.enteredBackground() }
}

/// `appCall`: the function's name, if it is for the app only.
private func tell(
  _ pointer: OpaquePointer?, appCall: String? = nil, _ body: (NodeCoordinator<CNode>) -> Void
) -> Int32 {
  opened(pointer) { handle, coordinator in
    if let appCall, coordinator.role != .app {
      return handle.misuse("\(appCall) is for the app only; the extension gets pushes")
    }
    body(coordinator)
    return Code.ok
  }
}

@_cdecl("baton_event")
public func event(_ pointer: OpaquePointer?, _ event: UnsafePointer<baton_message>?) -> Int32 {
  opened(pointer) { handle, coordinator in
    guard let event = event?.pointee else { return handle.misuse("event is null") }
    return handle.tell(event, to: coordinator)
  }
}

@_cdecl("baton_wait")
public func wait(_ pointer: OpaquePointer?) -> Int64 { handle(pointer)?.coordinator?.nanosecondsToWake ?? -1 }

@_cdecl("baton_wake") public func wake(_ pointer: OpaquePointer?) -> Int32 { tell(pointer) { $0.wake() } }

@_cdecl("baton_process_to_watch") public func processToWatch(_ pointer: OpaquePointer?) -> Int32 {
  handle(pointer)?.coordinator?.processToWatch ?? 0
}

@_cdecl("baton_listen")
public func listen(_ pointer: OpaquePointer?) -> Int32 { handle(pointer)?.coordinator?.listen() ?? -1 }

@_cdecl("baton_presence_arrived") public func presenceArrived(_ pointer: OpaquePointer?) -> Int32 {
  tell(pointer) { $0.presenceArrived() }
}

@_cdecl("baton_next")
public func next(_ pointer: OpaquePointer?, _ directive: UnsafeMutablePointer<baton_message>?) -> Int32 {
  guard let handle = handle(pointer) else { return Code.misuse }
  guard let directive else { return handle.misuse("directive is null") }
  guard let message = handle.outbox.next() else { return Code.none }
  directive.pointee = message
  return Code.ok
}

@_cdecl("baton_write") public func write(
  _ pointer: OpaquePointer?, _ lease: UInt64, _ what: UnsafePointer<CChar>?, _ body: baton_body?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  opened(pointer) { handle, _ in
    guard let what = text(what), body != nil else {
      return handle.misuse("a write needs a name in UTF-8 and a body")
    }
    guard let lease = handle.lease(lease) else { return handle.failed(.fenced) }
    return handle.running { try lease.write(what) { try Access.run(.writing($0), body, context) } }
  }
}

@_cdecl("baton_read") public func read(
  _ pointer: OpaquePointer?, _ lease: UInt64, _ body: baton_body?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  opened(pointer) { handle, _ in
    guard let lease = handle.lease(lease) else { return handle.failed(.fenced) }
    return handle.running { try lease.read { try Access.run(.reading($0), body, context) } }
  }
}

@_cdecl("baton_found") public func found(
  _ access: OpaquePointer?, _ hash: UnsafePointer<UInt8>?, _ amountMsat: UInt64,
  _ words: UnsafePointer<CChar>?
) -> Int32 {
  guard let access, let hash,
    let payment = PaymentHash(UnsafeBufferPointer(start: hash, count: PaymentHash.size))
  else { return Code.misuse }
  return inside(access).found(
    ReceivedPayment(
      paymentHash: payment, amountMsat: amountMsat, text: words.map { String(cString: $0) } ?? ""))
}

private func inside(_ access: OpaquePointer) -> Access {
  Unmanaged<Access>.fromOpaque(UnsafeRawPointer(access)).takeUnretainedValue()
}

@_cdecl("baton_sql") public func sql(
  _ access: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ values: UnsafePointer<baton_value>?, _ count: Int,
  _ row: baton_row?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let access, let sql = text(sql), count >= 0, values != nil || count == 0 else { return Code.misuse }
  let bound = (0..<count).compactMap { index in values.flatMap { SQLValue($0[index]) } }
  guard bound.count == count else { return Code.misuse }
  return inside(access).execute(sql, bound, row, context)
}

// Coordinator/C: `baton.h` on top of the coordinator, for C, Rust or Kotlin. It adds a queue of directives and decides
// nothing.

/// The object behind a C `baton`.
final class Handle {
  private(set) var coordinator: NodeCoordinator<CNode>?
  let outbox = Outbox()
  let node: CNode
  private let error = CText()

  init(_ options: baton_options) {
    node = CNode(outbox: outbox, options)
    error.set("")
  }

  func open(_ role: ProcessRole, _ directory: String, _ migrations: [String]) -> Int32 {
    do throws(CoordinatorError) {
      coordinator = try NodeCoordinator(
        role, directory: directory, migrations: migrations, node: node, phone: CPhone(outbox: outbox))
      return Code.ok
    } catch { return failed(error) }
  }

  var errorText: UnsafePointer<CChar>? { error.pointer }

  func failed(_ error: CoordinatorError) -> Int32 { failed(error.code, error.description) }

  func failed(_ code: Int32, _ sentence: String) -> Int32 {
    error.set(sentence)
    return code
  }

  func misuse(_ sentence: String) -> Int32 { failed(Code.misuse, sentence) }

  /// The node's lease, if it has this number.
  func lease(_ number: UInt64) -> Lease? {
    guard let lease = node.lease, lease.epoch == number else { return nil }
    return lease
  }

  /// A callback's code is returned unchanged.
  func running(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
      return Code.ok
    } catch let error as CallersError { return failed(error.code, error.words) } catch let error
      as CoordinatorError
    {
      return failed(error)
    } catch { return failed(Code.sql, "\(error)") }
  }
}

/// The caller's callback, or a statement in it, did not return BATON_OK.
struct CallersError: Error {
  var code: Int32
  var words: String
}

/// The caller's node. It gets directives; only what must happen before a call returns is a callback.
final class CNode: NodeDriver {
  private let outbox: Outbox
  private let readCallback: baton_body?
  private let settledCallback: baton_settled?
  private let cutCallback: baton_cut_off?
  private let context: UnsafeMutableRawPointer?
  private(set) var lease: Lease?
  /// The node's socket may be open.
  private var isRunning = false
  private var stopIsAsked = false

  init(outbox: Outbox, _ options: baton_options) {
    self.outbox = outbox
    readCallback = options.read_state
    settledCallback = options.settled
    cutCallback = options.cut_off
    context = options.context
  }

  func readState(_ database: StateReader) throws { try Access.run(.reading(database), readCallback, context) }

  func settledPayments(_ hash: PaymentHash?, since push: Int64, _ database: StateReader) throws
    -> [ReceivedPayment]
  {
    guard let settledCallback else { return [] }
    return try Access.settledPayments(hash, since: push, database, settledCallback, context)
  }

  func start(_ lease: Lease, _ state: Void) {
    self.lease = lease
    isRunning = true
    stopIsAsked = false
    var message = Outbox.Message(BATON_START_NODE, id: lease.epoch, bytes: lease.fence.container.bytes)
    if let replaced = lease.replacing {
      message.code = 1
      message.number = replaced.epoch
    }
    outbox.append(message)
  }

  func stop(gracefully: Bool) {
    guard gracefully else { return cutOff() }
    stopIsAsked = true
    outbox.append(Outbox.Message(BATON_STOP_NODE, id: lease?.epoch ?? 0))
  }

  /// A callback, not a directive: the lock is dropped in this same call, and the caller would fetch a directive only
  /// after another process has dialled.
  func cutOff() {
    guard isRunning, let lease else { return }
    isRunning = false
    if outbox.withdraw(lease: lease.epoch) { cutCallback?(lease.epoch, context) }
  }

  func heard(_ news: NodeReport, of number: UInt64) {
    guard let lease, lease.epoch == number else { return }
    if news == .stopped, stopIsAsked { isRunning = false }
    lease.report(news)
  }

  func acceptNoNewPayment() {
    outbox.append(Outbox.Message(BATON_ACCEPT_NO_NEW_PAYMENT, id: lease?.epoch ?? 0))
  }
  func dialNow() { outbox.append(Outbox.Message(BATON_DIAL_NOW, id: lease?.epoch ?? 0)) }
}

/// The phone and the user, as C directives.
final class CPhone: AppPhone, ExtensionPhone {
  private typealias Message = Outbox.Message
  private let outbox: Outbox

  init(outbox: Outbox) { self.outbox = outbox }

  func show(_ status: NodeStatus) { outbox.append(Message(status)) }
  func notify(_ payment: ReceivedPayment) { outbox.append(Message(BATON_NOTIFY, payment)) }
  func withdrawNotification(of payment: PaymentHash) {
    outbox.append(Message(BATON_WITHDRAW, bytes: payment.bytes))
  }
  func send(presence: [UInt8]) { outbox.append(Message(BATON_SEND_PRESENCE, bytes: presence)) }
  func mayConnect(toPeer: Bool, toOthers: Bool) {
    outbox.append(Message(BATON_MAY_CONNECT, code: (toPeer ? 1 : 0) + (toOthers ? 2 : 0)))
  }
  func note(_ line: String) { outbox.append(Message(BATON_NOTE, text: line)) }
  func beginBackgroundTask(_ task: UInt64, name: String?) {
    outbox.append(Message(BATON_BEGIN_TASK, id: task, text: name))
  }
  func endBackgroundTask(_ task: UInt64) { outbox.append(Message(BATON_END_TASK, id: task)) }
  func completed(silentPush: UInt64, _ result: SilentPushOutcome) {
    outbox.append(Message(BATON_COMPLETED, code: Int32(result.code), id: silentPush))
  }
  func finished(push: UInt64, _ reason: FinishReason) {
    outbox.append(Message(BATON_FINISHED, code: Int32(reason.code), id: push))
  }
  func ended(_ reason: EndReason) { outbox.append(Message(BATON_ENDED, code: Int32(reason.code))) }

  func deliver(_ result: PushOutcome, for push: UInt64) {
    var message = Message(BATON_DELIVER, code: Int32(result.code), id: push)
    switch result {
    case .received(let payment): message.tell(of: payment)
    case .nothingReceived(let reason): message.number = UInt64(reason.code)
    case .partsWait, .partsGivenBack, .appContinues, .usedByAnotherDevice, .announced: break
    }
    outbox.append(message)
  }
}

extension Outbox.Message {
  fileprivate init(_ kind: CEnum, _ payment: ReceivedPayment) {
    self.init(kind)
    tell(of: payment)
  }

  fileprivate mutating func tell(of payment: ReceivedPayment) {
    number = payment.amountMsat
    text = payment.text
    bytes = payment.paymentHash.bytes
  }

  fileprivate init(_ status: NodeStatus) {
    self.init(BATON_SHOW, code: Int32(status.code))
    switch status {
    case .idle, .waitingForExtension, .appGoesFirst, .claiming, .usedByAnotherDevice, .peerOutOfReach: break
    case .waitingForProcess(let pid): id = UInt64(clamping: pid)
    case .blocked(let pid, _): id = UInt64(clamping: pid ?? 0)
    case .connecting(let epoch), .connected(let epoch), .settling(let epoch), .releasing(let epoch):
      number = epoch
    case .hindered(let epoch, let trouble):
      number = epoch
      text = trouble
    case .failed(let error):
      number = UInt64(clamping: error.code)
      text = error.description
    }
  }
}

/// Directives that the caller has not fetched yet, and the memory of the last fetched one.
final class Outbox {
  struct Message {
    var kind: Int32
    var code: Int32
    var id: UInt64
    var number: UInt64
    var text: String?
    var bytes: [UInt8]

    init(
      _ kind: CEnum, code: Int32 = 0, id: UInt64 = 0, number: UInt64 = 0, text: String? = nil,
      bytes: [UInt8] = []
    ) {
      self.kind = Int32(kind)
      self.code = code
      self.id = id
      self.number = number
      self.text = text
      self.bytes = bytes
    }
  }

  private var waiting: [Message] = []
  private let text = CText()
  private let bytes = CText()

  func append(_ message: Message) { waiting.append(message) }

  /// Removes the node's directives of a lease that is over: a start fetched now would dial without the lock. Returns
  /// false if the start was not fetched, so that no node runs.
  func withdraw(lease: UInt64) -> Bool {
    let kinds = [BATON_START_NODE, BATON_STOP_NODE, BATON_ACCEPT_NO_NEW_PAYMENT, BATON_DIAL_NOW]
    let isFetched = !waiting.contains { $0.id == lease && $0.kind == Int32(BATON_START_NODE) }
    waiting.removeAll { $0.id == lease && kinds.contains(CEnum($0.kind)) }
    return isFetched
  }

  func next() -> baton_message? {
    guard !waiting.isEmpty else { return nil }
    let message = waiting.removeFirst()
    text.set(message.text)
    bytes.set(bytes: message.bytes)
    return baton_message(
      kind: message.kind, code: message.code, id: message.id, number: message.number, text: text.pointer,
      bytes: message.bytes.isEmpty ? nil : bytes.bytePointer, length: message.bytes.count)
  }
}

/// Memory that outlives the call that returned it.
final class CText {
  private var memory: UnsafeMutableRawBufferPointer?

  deinit { memory?.deallocate() }

  func set(_ text: String?) {
    // A zero byte in the middle would end the C string.
    set(bytes: text.map { $0.utf8.filter { $0 != 0 } + [0] })
  }

  func set(bytes: [UInt8]?) {
    memory?.deallocate()
    memory = bytes.map {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, $0.count), alignment: 8)
      copy.copyBytes(from: $0)
      return copy
    }
  }

  var pointer: UnsafePointer<CChar>? {
    memory?.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
  }
  var bytePointer: UnsafePointer<UInt8>? {
    memory?.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
  }
}
