import Ground
import Guardrails
import Wallet
import PhonePolicy

/// The stage transitions that the machines have taken. Excluded from equality and hashing.
public struct Ways: Hashable, Sendable {
  private var taken = SIMD32<UInt64>()

  public init() {}

  public static func == (_: Ways, _: Ways) -> Bool { true }
  public func hash(into _: inout Hasher) {}

  /// Each machine has a table of `width` × `width` bits.
  enum Machine: Int, CaseIterable {
    case app, notifier, appOwnership, notifierOwnership, node, phoneApp, phoneExtension

    var name: String {
      switch self {
      case .app: "app"
      case .notifier: "extension"
      case .appOwnership: "ownership, in the app"
      case .notifierOwnership: "ownership, in the extension"
      case .node: "node"
      case .phoneApp: "app, to the phone"
      case .phoneExtension: "extension, to the phone"
      }
    }
  }

  /// The largest number of stages of a machine; all tables fit into `taken`.
  private static let width = 16

  private static func place(_ machine: Machine, _ from: UInt8, _ to: UInt8) -> Int {
    machine.rawValue * width * width + Int(from) * width + Int(to)
  }

  mutating func add<Stage: RawRepresentable<UInt8>>(_ machine: Machine, _ from: Stage, _ to: Stage) {
    add(machine, from: from.rawValue, to: to.rawValue)
  }

  mutating func add(_ machine: Machine, from: UInt8, to: UInt8) {
    guard from != to else { return }
    let place = Self.place(machine, from, to)
    taken[place / 64] |= 1 << UInt64(place % 64)
  }

  mutating func add(_ other: Ways) { taken |= other.taken }

  private func has(_ machine: Machine, _ from: UInt8, _ to: UInt8) -> Bool {
    let place = Self.place(machine, from, to)
    return taken[place / 64] & 1 << UInt64(place % 64) != 0
  }

  /// One transition of one machine.
  public struct Way: Hashable, Sendable {
    public var machine: String
    public var from: String
    public var to: String
    public var isTaken: Bool
    /// Whether the machine declares it (`Staged.next(after:)`).
    public var isDeclared: Bool
  }

  /// All declared and all taken transitions.
  public var all: [Way] {
    list(.app, AppMachine.self) + list(.notifier, ExtensionMachine.self) + list(.appOwnership, Ownership.self)
      + list(.notifierOwnership, Ownership.self) + list(.node, NodeMachine.self)
      + list(.phoneApp, AppState.self)
      + list(.phoneExtension, ExtensionState.self)
  }

  private func list<Subject: Staged>(_ machine: Machine, _: Subject.Type) -> [Way] {
    precondition(Subject.Stage.allCases.count <= Self.width)
    var ways: [Way] = []
    for from in Subject.Stage.allCases {
      let declared = Subject.next(after: from)
      for to in Subject.Stage.allCases where to != from {
        let isTaken = has(machine, from.rawValue, to.rawValue)
        guard isTaken || declared.contains(to) else { continue }
        ways.append(
          Way(
            machine: machine.name, from: "\(from)", to: "\(to)", isTaken: isTaken,
            isDeclared: declared.contains(to)))
      }
    }
    return ways
  }
}
