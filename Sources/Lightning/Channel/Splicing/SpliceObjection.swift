import Ground

/// The reason for a `tx_abort`, which ends the negotiation of a splice and leaves the channel as it was.
enum SpliceObjection: Error, Hashable, Sendable {
  case notBegunHere
  case addsNothing
  case feerate(lowest: UInt32, highest: UInt32)
  case hasLockTime
  case notAKey
  case takesNothing
  case leavesTooLittle
  case foreignInput
  case otherFunding
  case cannotBeReplaced
  case serial
  case dust
  case scriptNotCarried
  case tooManyOutputs
  case lacksFunding
  case otherOutputs
  case feeTooLow(leastSat: UInt64)
  case unknownFunding
}

extension SpliceObjection: CustomStringConvertible {
  var description: String {
    switch self {
    case .notBegunHere: "only this end may begin a splice: send no splice_init"
    case .addsNothing: "only the initiator may add to this splice-out: add no input, output or contribution"
    case .feerate(let lowest, let highest): "the feerate must be from \(lowest) to \(highest) sat per kw"
    case .hasLockTime: "the lock time is not 0: use 0"
    case .notAKey: "the funding key is not a point on the curve: send a valid one"
    case .takesNothing: "only splice-outs are supported: use a contribution below zero"
    case .leavesTooLittle: "the new funding would be below the dust limit: withdraw less"
    case .foreignInput: "the splice may only spend the channel's funding: add no other input"
    case .otherFunding: "the input is not the current funding of this channel: spend the newest"
    case .cannotBeReplaced: "the sequence is above 0xFFFFFFFD: use a lower one"
    case .serial: "the serial id is odd or already used: send each even number once"
    case .dust:
      "the output is below the dust limit or above 21 million bitcoin: change its amount, or omit it"
    case .scriptNotCarried: "the output's script is non-standard and not relayed: pay an address"
    case .tooManyOutputs: "a splice has only the new funding and one other output: add no more"
    case .lacksFunding: "the channel's funding is not spent: add it as an input"
    case .otherOutputs: "the outputs must be the new funding and one other"
    case .feeTooLow(let least): "the fee is too low: pay at least \(AmountText.words(sat: least))"
    case .unknownFunding: "this splice is unknown: forget it"
    }
  }
}
