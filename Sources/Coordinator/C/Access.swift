import CBaton
import Platform

/// The object behind a C `baton_access`: one open transaction.
final class Access {
  enum Mode {
    case reading(StateReader)
    case writing(StateWriter)
  }

  private let mode: Mode
  /// The payments reported with baton_found; nil in other callbacks.
  private var settled: [ReceivedPayment]?
  /// The error of the last failed statement.
  private var words = "the caller's callback failed"

  private init(_ mode: Mode) { self.mode = mode }

  /// Throws the body's result unless it is BATON_OK.
  static func run(_ mode: Mode, _ body: baton_body?, _ context: UnsafeMutableRawPointer?) throws {
    guard let body else { return }
    try Access(mode).run { body($0, context) }
  }

  static func settledPayments(
    _ hash: PaymentHash?, since push: Int64, _ reader: StateReader, _ callback: baton_settled,
    _ context: UnsafeMutableRawPointer?
  ) throws -> [ReceivedPayment] {
    let access = Access(.reading(reader))
    access.settled = []
    try access.run { pointer in
      guard let hash else { return callback(pointer, nil, push, context) }
      return hash.bytes.withUnsafeBufferPointer { callback(pointer, $0.baseAddress, push, context) }
    }
    return access.settled ?? []
  }

  private func run(_ body: (OpaquePointer) -> Int32) throws {
    let code = body(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()))
    if code != Code.ok { throw CallersError(code: code, words: words) }
  }

  func found(_ payment: ReceivedPayment) -> Int32 {
    guard settled != nil else { return Code.misuse }
    settled?.append(payment)
    return Code.ok
  }

  func execute(
    _ sql: String, _ values: [SQLValue], _ row: baton_row?, _ context: UnsafeMutableRawPointer?
  ) -> Int32 {
    let each: (Row) throws -> Void = { found in
      let code = found.withCValues { row?($0.baseAddress, $0.count, context) ?? Code.ok }
      if code != Code.ok { throw CallersError(code: code, words: "the caller's callback failed") }
    }
    do {
      switch mode {
      case .reading(let reader): try reader.forEachRow(sql, values, each)
      case .writing(let writer): try writer.forEachRow(sql, values, each)
      }
      return Code.ok
    } catch let error as CallersError { return error.code } catch {
      words = "\(error)"
      return (error as? DatabaseError)?.code ?? Code.sql
    }
  }
}

extension DatabaseError {
  fileprivate var code: Int32 {
    switch kind {
    case .busy: Code.blocked
    case .full: Code.diskFull
    default: Code.sql
    }
  }
}

extension SQLValue {
  /// nil for an unknown type, or a text that is not UTF-8.
  init?(_ value: baton_value) {
    let bytes = UnsafeRawBufferPointer(start: value.bytes, count: value.bytes == nil ? 0 : value.length)
    switch CEnum(value.type) {
    case BATON_NULL: self = .null
    case BATON_INTEGER: self = .integer(value.integer)
    case BATON_REAL: self = .real(value.real)
    case BATON_TEXT:
      guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
      self = .text(text)
    case BATON_BLOB: self = .blob([UInt8](bytes))
    default: return nil
    }
  }

  fileprivate func withCValue(_ body: (baton_value) -> Void) {
    var value = baton_value()
    func bytes(_ type: CEnum, _ bytes: some Collection<UInt8>) {
      value.type = Int32(type)
      value.length = bytes.count
      Array(bytes).withUnsafeBytes {
        value.bytes = $0.baseAddress
        body(value)
      }
    }
    switch self {
    case .null:
      value.type = Int32(BATON_NULL)
      body(value)
    case .integer(let number):
      value.type = Int32(BATON_INTEGER)
      value.integer = number
      body(value)
    case .real(let number):
      value.type = Int32(BATON_REAL)
      value.real = number
      body(value)
    case .text(let text): bytes(BATON_TEXT, text.utf8)
    case .blob(let blob): bytes(BATON_BLOB, blob)
    }
  }
}

extension Row {
  fileprivate func withCValues(_ body: (UnsafeBufferPointer<baton_value>) -> Int32) -> Int32 {
    var code = Code.ok
    func add(_ rest: ArraySlice<SQLValue>, to found: [baton_value]) {
      guard let first = rest.first else {
        found.withUnsafeBufferPointer { code = body($0) }
        return
      }
      first.withCValue { add(rest.dropFirst(), to: found + [$0]) }
    }
    add(values[...], to: [])
    return code
  }
}
