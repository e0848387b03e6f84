import WalletProcess

/// What a write did, as text. An unknown code is shown as stored: other wallets have their own.
enum WriteSentence {
  static func of(_ code: String) -> String {
    WriteCode.read(code)?.map(words).joined(separator: ", ") ?? code
  }

  private static func words(_ part: WriteCode.Part, _ number: UInt64) -> String {
    let payments = HumanText.count(Int(clamping: number), "payment")
    return switch part {
    case .restored: "restored from the peer's backup"
    case .revision: "channel revision \(number)"
    case .invoice: "new invoice"
    case .cancelled: "invoice cancelled"
    case .received: "\(payments) received"
    case .offered: "\(HumanText.count(Int(clamping: number), "outgoing payment")) begun"
    case .ended: "\(HumanText.count(Int(clamping: number), "outgoing payment")) ended"
    case .waiting: number == 0 ? "no payment lacks parts any more" : "\(payments) with parts missing"
    case .failed: "channel failed by the peer"
    }
  }
}
