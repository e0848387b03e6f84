/// Two reports as one: the members of the first, then those of the second.
@dynamicMemberLookup
public struct Joined<First: Report, Second: Report>: Report {
  public var first: First
  public var second: Second

  public init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<First, Value>) -> Value {
    get { first[keyPath: path] }
    set { first[keyPath: path] = newValue }
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<Second, Value>) -> Value {
    get { second[keyPath: path] }
    set { second[keyPath: path] = newValue }
  }

  public init(from decoder: any Decoder) throws {
    first = try First(from: decoder)
    second = try Second(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    try first.encode(to: encoder)
    try second.encode(to: encoder)
  }
}

extension Joined: Hashable, Equatable where First: Hashable, Second: Hashable {}
