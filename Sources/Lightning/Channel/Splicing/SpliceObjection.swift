import Ground

/// Why an end goes no further with a transaction that both were making: it says so with `tx_abort`, and the channel
/// stays as it was.
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
    case .notBegunHere: "this end begins its splices itself: send no splice_init"
    case .addsNothing: "this splice takes money out alone: add nothing to it"
    case .feerate(let lowest, let highest): "the feerate must be from \(lowest) to \(highest) per kw"
    case .hasLockTime: "there is no block to wait for: use the lock time 0"
    case .notAKey: "the funding key is no point of the curve: send another"
    case .takesNothing: "the splice takes nothing out: use a contribution below zero"
    case .leavesTooLittle: "the channel would be smaller than an output may be: take less"
    case .foreignInput: "the splice spends the funding of the channel alone: add no other input"
    case .otherFunding: "that is not the funding of this channel: spend the newest"
    case .cannotBeReplaced: "the sequence is above 0xFFFFFFFD: use a lower one"
    case .serial: "the serial id is odd or used already: send each even number once"
    case .dust: "the output is below the dust limit: pay more, or nothing"
    case .scriptNotCarried: "no node relays an output with such a script: pay an address"
    case .tooManyOutputs: "the splice has the new funding and one output more: add no others"
    case .lacksFunding: "the funding of the channel is not spent: add it"
    case .otherOutputs: "the splice must have the new funding, and one output more"
    case .feeTooLow(let least): "the fee is too low: pay at least \(AmountText.words(sat: least))"
    case .unknownFunding: "this splice is not known here: forget it"
    }
  }
}
