// Push keys and ended holds, as the peer should have treated them.
extension PeerReplay {
  /// One `hold_ended` of the peer.
  struct ToldEnd {
    let paymentHash: [UInt8]
    let connection: Int64
    let atNs: Int64
    let evidence: String
  }

  /// The wallet repeats its key on each connection: only another one is stored. One that is no point of the curve is
  /// ignored.
  mutating func takePushKey(_ key: [UInt8], _ frame: ReadFrame) {
    let isNew = key != pushKeys.last?.key
    if !isNew { return expectActed(false, frame) }
    if frame.entry.isActedOn { pushKeys.append((key, frame.entry.atNs)) }
  }

  mutating func tellEnd(of paymentHash: [UInt8], _ frame: ReadFrame) {
    let connection = frame.entry.connection
    if registered != connection || links[connection]?.sentReestablish != true {
      find(
        1,
        "The peer reported the end of a hold on connection \(connection), which had not got its channel_reestablish",
        frame)
    }
    toldEnds.append(
      ToldEnd(
        paymentHash: paymentHash, connection: connection, atNs: frame.entry.atNs,
        evidence: frame.entry.evidence))
  }
}
