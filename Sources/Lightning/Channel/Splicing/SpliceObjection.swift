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
    case .notBegunHere: "This end begins its splices itself: send no splice_init."
    case .addsNothing: "This splice takes money out alone: add nothing to it."
    case .feerate(let lowest, let highest): "The feerate must be from \(lowest) to \(highest) per kw."
    case .hasLockTime: "There is no block to wait for: use the lock time 0."
    case .notAKey: "The funding key is no point of the curve: send another."
    case .takesNothing: "The splice takes nothing out: use a contribution below zero."
    case .leavesTooLittle: "The channel would be smaller than an output may be: take less."
    case .foreignInput: "The splice spends the funding of the channel alone: add no other input."
    case .otherFunding: "That is not the funding of this channel: spend the newest."
    case .cannotBeReplaced: "The sequence is above 0xFFFFFFFD: use a lower one."
    case .serial: "The serial id is odd or used already: send each even number once."
    case .dust: "The output is below the dust limit: pay more, or nothing."
    case .scriptNotCarried: "Nobody carries an output with such a script on: pay an address."
    case .tooManyOutputs: "The splice has the new funding and one output more: add no others."
    case .lacksFunding: "The funding of the channel is not spent: add it."
    case .otherOutputs: "The splice must have the new funding, and one output more."
    case .feeTooLow(let least): "The fee is too low: pay at least \(least) satoshis."
    case .unknownFunding: "This splice is not known here: forget it."
    }
  }
}
