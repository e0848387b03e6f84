import CBaton
import Platform

// The functions of `baton.h`, in its order. A handle is a retained `Handle`.

private func handle(_ pointer: OpaquePointer?) -> Handle? {
  pointer.map { Unmanaged<Handle>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

/// The coordinator of an opened handle.
private func opened(
  _ pointer: OpaquePointer?, _ body: (Handle, NodeCoordinator<CNode>) -> Int32
) -> Int32 {
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

@_cdecl("baton_close")
public func close(_ pointer: OpaquePointer?) {
  guard let pointer else { return }
  let handle = Unmanaged<Handle>.fromOpaque(UnsafeRawPointer(pointer))
  // The lock is dropped with the handle.
  handle.takeUnretainedValue().node.cutOff()
  handle.release()
}

@_cdecl("baton_error")
public func error(_ pointer: OpaquePointer?) -> UnsafePointer<CChar>? {
  // Static, as no handle could own it.
  guard let handle = handle(pointer) else { return noHandle.pointer }
  return handle.errorText
}

nonisolated(unsafe) private let noHandle: CText = {
  let text = CText()
  text.set("there is no handle")
  return text
}()

@_cdecl("baton_want")
public func want(_ pointer: OpaquePointer?) -> Int32 {
  opened(pointer) { handle, coordinator in
    guard coordinator.role == .app else {
      return handle.misuse("baton_want is for the app only; the extension gets pushes")
    }
    coordinator.enteredForeground()
    return Code.ok
  }
}

@_cdecl("baton_unwant")
public func unwant(_ pointer: OpaquePointer?) -> Int32 {
  opened(pointer) { handle, coordinator in
    guard coordinator.role == .app else {
      return handle.misuse("baton_unwant is for the app only; the extension gets pushes")
    }
    coordinator.enteredBackground()
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

@_cdecl("baton_wake")
public func wake(_ pointer: OpaquePointer?) -> Int32 {
  opened(pointer) { _, coordinator in
    coordinator.wake()
    return Code.ok
  }
}

@_cdecl("baton_process_to_watch")
public func processToWatch(_ pointer: OpaquePointer?) -> Int32 {
  handle(pointer)?.coordinator?.processToWatch ?? 0
}

@_cdecl("baton_listen")
public func listen(_ pointer: OpaquePointer?) -> Int32 { handle(pointer)?.coordinator?.listen() ?? -1 }

@_cdecl("baton_presence_arrived")
public func presenceArrived(_ pointer: OpaquePointer?) -> Int32 {
  opened(pointer) { _, coordinator in
    coordinator.presenceArrived()
    return Code.ok
  }
}

@_cdecl("baton_next")
public func next(_ pointer: OpaquePointer?, _ directive: UnsafeMutablePointer<baton_message>?) -> Int32 {
  guard let handle = handle(pointer) else { return Code.misuse }
  guard let directive else { return handle.misuse("directive is null") }
  guard let message = handle.outbox.next() else { return Code.none }
  directive.pointee = message
  return Code.ok
}

@_cdecl("baton_write")
public func write(
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

@_cdecl("baton_read")
public func read(
  _ pointer: OpaquePointer?, _ lease: UInt64, _ body: baton_body?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  opened(pointer) { handle, _ in
    guard let lease = handle.lease(lease) else { return handle.failed(.fenced) }
    return handle.running { try lease.read { try Access.run(.reading($0), body, context) } }
  }
}

@_cdecl("baton_found")
public func found(
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

@_cdecl("baton_sql")
public func sql(
  _ access: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ values: UnsafePointer<baton_value>?, _ count: Int,
  _ row: baton_row?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let access, let sql = text(sql), count >= 0, values != nil || count == 0 else { return Code.misuse }
  let bound = (0..<count).compactMap { index in values.flatMap { SQLValue($0[index]) } }
  guard bound.count == count else { return Code.misuse }
  return inside(access).execute(sql, bound, row, context)
}
