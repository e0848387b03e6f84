import Ground

// A process that ends by itself may say why.
extension Phone {
  mutating func announceEnd(_ role: Role) {
    let isThere = role == .app ? app != .notRunning : service != .notRunning
    guard isThere, !hasAnnouncedEnd(role) else { return }
    announcedEnds.append(role)
  }

  func hasAnnouncedEnd(_ role: Role) -> Bool { announcedEnds.contains(role) }
}
