import CBaton

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
    let withdrawn = waiting.filter { $0.id == lease && kinds.contains(CEnum($0.kind)) }
    waiting.removeAll { $0.id == lease && kinds.contains(CEnum($0.kind)) }
    return !withdrawn.contains { $0.kind == Int32(BATON_START_NODE) }
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
