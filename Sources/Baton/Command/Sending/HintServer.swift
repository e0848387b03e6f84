import Crypto
import DaemonRuntime
import Lightning
import Ground
import HTTP

/// The server that gives forwarding hints: the one that the user names, or this phone's lspd.
final class HintServer {
  private static let bytesMost = 4096
  private static let addressBytesMost = 2048

  private let client: HTTPClient
  private let named: String?
  private let phone: Phone

  init(named: String?, phone: Phone, loop: EventLoop) throws {
    client = try HTTPClient(loop: loop)
    self.named = named
    self.phone = phone
  }

  /// `http://HOST:PORT`, also with a path, to which the path of the hint is added.
  static func check(_ address: String) throws(CommandFailure) {
    let lower = address.lowercased()
    let isPlain = address.utf8.allSatisfy { $0 > 32 && $0 < 127 } && address.utf8.count <= addressBytesMost
    let hasHost = ["http://", "https://"].contains {
      lower.hasPrefix($0) && lower.dropFirst($0.count).first.map { $0 != "/" } ?? false
    }
    guard isPlain, hasHost, !address.contains("?"), !address.contains("#") else {
      throw CommandFailure(
        .wrongUsage, "--hint-url must be an address such as http://127.0.0.1:8080, without a query")
    }
  }

  /// lspd writes its address when it starts, so each question reads it anew.
  private var address: String? {
    if let named { return named }
    let text = Self.read(phone.lspdHTTP)
    return text.flatMap { (try? Self.check($0)) == nil ? nil : $0 }
  }

  /// Of lspd's own user, for lspd alone.
  private var headers: [String] {
    guard named == nil, let token = Self.read(phone.lspdHTTPToken) else { return [] }
    return ["Authorization: Bearer \(token)"]
  }

  private static func read(_ path: String) -> String? {
    guard let bytes = try? SmallFile.readOwn(path, limit: addressBytesMost) else { return nil }
    return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
  }

  func ask(
    about recipient: PublicKey, amountMsat: UInt64,
    _ end: @escaping (Result<ForwardingHint, HintFailure>) -> Void
  ) {
    guard var address else { return end(.failure(.unreachable)) }
    while address.hasSuffix("/") { address.removeLast() }
    client.get(
      "\(address)/lsp/forwarding_hint?recipient=\(recipient.hex)&amount_msat=\(amountMsat)",
      headers: headers, within: SenderMachine.hintPatience, largest: Self.bytesMost
    ) { end(Self.read($0)) }
  }

  private static func read(_ answer: Result<HTTPAnswer, HTTPFailure>) -> Result<ForwardingHint, HintFailure> {
    switch answer {
    case .failure(.unreachable), .failure(.forbidden): return .failure(.unreachable)
    case .failure(.timedOut): return .failure(.silent)
    case .failure(.tooLarge): return .failure(.tooLong)
    case .success(let answer):
      guard answer.status == 200 else { return .failure(.refused(status: answer.status)) }
      do throws(ForwardingHintError) {
        return .success(try ForwardingHint(parsing: answer.body))
      } catch { return .failure(.noHint(error)) }
    }
  }
}
