/// Failure codes of BOLT 4, as far as they are sent or read here.
public enum FailureCode {
  /// The peer cannot forward now (the recipient is away): worth another try.
  public static let temporaryChannelFailure: UInt16 = 0x1007
  /// The recipient knows no such invoice, or the amount is wrong: final.
  public static let incorrectOrUnknownPaymentDetails: UInt16 = 0x400F
}
