import Foundation
import Guardrails

/// Any JSON, for reading answers whose extra members should not matter.
package enum JSONValue: Hashable, Sendable, Decodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package init?(parsing bytes: [UInt8]) {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else { return nil }
    self = value
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .unsigned(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self, let value = members[name], value != .null else { return nil }
    return value
  }

  package var text: String? { if case .string(let text) = self { text } else { nil } }
  package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  package var int: Int64? { if case .integer(let value) = self { value } else { nil } }

  package var uint: UInt64? {
    switch self {
    case .integer(let value): UInt64(exactly: value)
    case .unsigned(let value): value
    default: nil
    }
  }

  /// As it stands in a cell of a table.
  package var word: String {
    switch self {
    case .null: "-"
    case .bool(let flag): flag ? "yes" : "no"
    case .integer(let value): String(value)
    case .unsigned(let value): String(value)
    case .number(let value): String(value)
    case .string(let text): text
    case .array(let elements): elements.map(\.word).joined(separator: ", ")
    case .object: "{…}"
    }
  }
}

extension JSONValue {
  /// Of what a wallet process has said of itself.
  package var statusCode: StatusCode? { (self["code"]?.text).flatMap(StatusCode.init) }
}
