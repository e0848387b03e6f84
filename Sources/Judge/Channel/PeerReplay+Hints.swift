// What the peer knew when a sender asked it for a hint.
extension PeerReplay {
  /// The peer's side at one moment.
  struct Moment {
    /// Its balance, without what it has offered; nil if the channel's state is not known.
    let balanceMsat: UInt64?
    /// The accepted connection that was open.
    let connection: Int64?
    let isReestablished: Bool
  }

  /// Before the frames of that time and of later ones are replayed.
  mutating func noteMoments(before instantNs: Int64) {
    while let askedNs = questionsNs.first, askedNs < instantNs {
      moments[askedNs] = moment(at: askedNs)
      questionsNs.removeFirst()
    }
  }

  private func moment(at instantNs: Int64) -> Moment {
    let open = registered.flatMap { id -> Int64? in
      let closedNs = evidence.ledger.connection(id)?.closedNs ?? .max
      return links[id]?.state == .registered && closedNs > instantNs ? id : nil
    }
    return Moment(
      balanceMsat: isChannelKnown ? view?.balanceMsat[.peer] : nil, connection: open,
      isReestablished: open.map { links[$0]?.receivedReestablish == true } ?? false)
  }
}
