import Ground

// A process that exits by itself may announce the reason first.
extension Phone {
  mutating func announceEnd(_ role: Role) {
    let isThere = role == .app ? app != .notRunning : service != .notRunning
    guard isThere, !hasAnnouncedEnd(role) else { return }
    announcedEnds.append(role)
  }

  func hasAnnouncedEnd(_ role: Role) -> Bool { announcedEnds.contains(role) }
}
