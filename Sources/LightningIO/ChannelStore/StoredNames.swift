import Platform
import Lightning

/// A value with a name in the database, which stays when the Swift name changes.
protocol StoredName: CaseIterable {
  var storedName: String { get }
}

extension Row {
  func named<Value: StoredName>(_ index: Int) throws -> Value {
    let name = try text(index)
    guard let value = Value.allCases.first(where: { $0.storedName == name }) else {
      throw mismatch(index, "one of " + Value.allCases.map(\.storedName).joined(separator: ", "))
    }
    return value
  }
}

extension HTLCDirection: StoredName {
  var storedName: String {
    switch self {
    case .offered: "offered"
    case .received: "received"
    }
  }
}

extension HTLCState: StoredName {
  var storedName: String {
    switch self {
    case .sentAdd: "sentAdd"
    case .sentAddCommit: "sentAddCommit"
    case .receivedAddRevocation: "receivedAddRevocation"
    case .receivedAddAckCommit: "receivedAddAckCommit"
    case .sentAddAckRevocation: "sentAddAckRevocation"
    case .receivedRemove: "receivedRemove"
    case .receivedRemoveCommit: "receivedRemoveCommit"
    case .sentRemoveRevocation: "sentRemoveRevocation"
    case .sentRemoveAckCommit: "sentRemoveAckCommit"
    case .receivedAdd: "receivedAdd"
    case .receivedAddCommit: "receivedAddCommit"
    case .sentAddRevocation: "sentAddRevocation"
    case .sentAddAckCommit: "sentAddAckCommit"
    case .receivedAddAckRevocation: "receivedAddAckRevocation"
    case .sentRemove: "sentRemove"
    case .sentRemoveCommit: "sentRemoveCommit"
    case .receivedRemoveRevocation: "receivedRemoveRevocation"
    case .receivedRemoveAckCommit: "receivedRemoveAckCommit"
    }
  }
}

extension PendingSplice.Stage: StoredName {
  var storedName: String {
    switch self {
    case .signing: "signing"
    case .committed: "committed"
    case .signed: "signed"
    }
  }
}
