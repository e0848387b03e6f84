import Ground
import DaemonRuntime
import Lightning

/// Splices money out of the channel to an address. The outcome is read from the wallet's row: another process may
/// complete the splice.
enum WithdrawVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "withdraw",
    summary: "send money from the wallet's channel to a bitcoin address, with the app in front",
    options: [
      OptionDeclaration("--no-wait", help: "return as soon as the wallet has stored the splice"),
      PaymentEnder.timeout,
    ],
    positionals: [
      PositionalDeclaration("AMOUNT", value: .text("AMOUNT"), help: "in sat, without the fee"),
      PositionalDeclaration(
        "ADDRESS", value: .text("ADDRESS"),
        help: "a regtest address such as bcrt1q…; also with the prefix bitcoin:"),
    ],
    examples: [
      (
        "baton withdraw 4000 bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
        "wait until the splice has ended"
      )
    ])

  private static let scheme = "bitcoin:"

  /// While waiting it reads the wallet's rows; a database that no process has open is copied to a temporary directory.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(isLooking: true, goesOn: "a withdrawal that has begun continues without this command")
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let amount = try amountSat(invocation.word())
    let address = try Self.address(invocation.word(1))
    let message = ControlMessage("withdraw", ["amount-sat": "\(amount)", "address": address])
    let ender = try PaymentEnder(
      phone: invocation.phone, otherwise: "the splice stays pending, and continues when the wallet reconnects"
    )
    return try ender.run(message, invocation) { answer, took in
      let fee = try answer.integer("fee-sat", in: 0...TransactionOutput.mostSatoshis)
      return Withdrawal(
        state: "signing", txid: try answer.required("txid"), amountMsat: amount &* 1000, feeMsat: fee &* 1000,
        tookMs: took.wholeMilliseconds)
    } ended: { wallet, begun, took in
      let row = wallet.splices.last { $0.txid == begun.txid }
      return row.flatMap { $0.isOver ? begun.ended(as: $0.state, took: took) : nil }
    }
  }

  private static func amountSat(_ word: String) throws(CommandFailure) -> UInt64 {
    let digits = word.hasSuffix("sat") && !word.hasSuffix("msat") ? String(word.dropLast(3)) : word
    guard digits.isEmpty || !digits.allSatisfy({ $0 == "0" }) else {
      throw CommandFailure(.wrongUsage, "AMOUNT must be at least 1 sat, not \(UsageError.quoted(word))")
    }
    let msat = try InvoiceVerb.amountMsat(word)
    try require(
      msat.isMultiple(of: 1000), .wrongUsage,
      "AMOUNT must be a whole number of sat on chain, not \(UsageError.quoted(word))")
    return msat / 1000
  }

  private static func address(_ word: String) throws(CommandFailure) -> String {
    let bare = word.lowercased().hasPrefix(scheme) ? String(word.dropFirst(scheme.count)) : word
    do throws(AddressError) {
      _ = try BitcoinAddress(decoding: bare, on: .regtest)
      return bare
    } catch { throw CommandFailure(.wrongUsage, "\(error)") }
  }
}
