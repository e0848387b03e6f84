/// One value of a JSON text while it is being built. A class: containers of `Codable` have no end, so what they
/// fill must be shared with whoever writes it out.
final class JSONNode {
  struct Member {
    var name: String
    var node: JSONNode
  }

  enum Content {
    /// A number, a truth value or null, as it is written.
    case raw(String)
    case string(String)
    case object([Member])
    case array([JSONNode])
  }

  /// A type that encodes nothing at all is an empty object, as Foundation has it.
  var content: Content = .object([])

  func child(named name: String) -> JSONNode {
    var members: [Member] = []
    if case .object(let existing) = content { members = existing }
    if let index = members.firstIndex(where: { $0.name == name }) { return members[index].node }
    let node = JSONNode()
    content = .object([])
    members.append(Member(name: name, node: node))
    content = .object(members)
    return node
  }

  func appendedElement() -> JSONNode {
    var elements: [JSONNode] = []
    if case .array(let existing) = content { elements = existing }
    let node = JSONNode()
    content = .array([])
    elements.append(node)
    content = .array(elements)
    return node
  }

  var elementCount: Int { if case .array(let elements) = content { elements.count } else { 0 } }

  func write(to bytes: inout [UInt8]) {
    switch content {
    case .raw(let raw): bytes += raw.utf8
    case .string(let string): JSONText.append(string, to: &bytes)
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.node.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    }
  }
}
