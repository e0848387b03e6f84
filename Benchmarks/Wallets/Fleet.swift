import Crypto
import DaemonRuntime
import Ground
import LightningWire
import PeerTransport

/// All wallets of one run, a few of them at work at a time.
final class Fleet {
  let loop: EventLoop
  let address: PeerAddress
  private(set) var wallets: [BenchWallet] = []
  private(set) var preimages: [Bytes32: Bytes32] = [:]
  /// HTLCs that a wallet has fulfilled.
  var fulfilled = 0
  private var onCame: ((BenchWallet) -> Void)?
  private var onLeft: ((BenchWallet) -> Void)?
  private var onSettled: ((BenchWallet) -> Void)?
  private var failure: String?

  init(_ count: Int, at address: PeerAddress, loop: EventLoop) throws {
    self.loop = loop
    self.address = address
    for number in 1...count { wallets.append(try BenchWallet(number, of: self)) }
  }

  func paymentHash(_ number: Int) -> Bytes32 {
    let preimage = SHA256.hash(Array("bench preimage \(number)".utf8))
    let hash = SHA256.hash(preimage.bytes)
    preimages[hash] = preimage
    return hash
  }

  // MARK: What the wallets report

  func came(_ wallet: BenchWallet) { onCame?(wallet) }

  func left(_ wallet: BenchWallet) { onLeft?(wallet) }

  func settled(_ wallet: BenchWallet) { onSettled?(wallet) }

  func failed(_ sentence: String) { failure = failure ?? sentence }

  // MARK: Phases

  /// Connects these wallets, at most `atOnce` at a time if each hangs up right away, and returns how long it took.
  func connect(_ numbers: [Int], hangingUp: Bool, waitingForPayment: Bool = false, atOnce: Int = 64) throws
    -> TimeSpan
  {
    var next = 0
    var done = 0
    var isWorking = 0
    func more() {
      while isWorking < atOnce, next < numbers.count {
        isWorking += 1
        next += 1
        do { try wallets[numbers[next - 1]].connect() } catch { failed("\(error)") }
      }
    }
    let over: (BenchWallet) -> Void = { wallet in
      if hangingUp { return wallet.hangUp() }
      done += 1
      isWorking -= 1
      more()
    }
    onCame = waitingForPayment ? nil : over
    onSettled = waitingForPayment ? over : nil
    onLeft = { _ in
      guard hangingUp else { return }
      done += 1
      isWorking -= 1
      more()
    }
    let start = Clock.monotonicNow
    more()
    try wait("the wallets to connect") { done == numbers.count }
    (onCame, onLeft, onSettled) = (nil, nil, nil)
    return Clock.monotonicNow - start
  }

  /// Connected wallets are paid, each once; `pay` asks lspd.
  func settle(_ count: Int, _ pay: (Int) throws -> Void) throws -> TimeSpan {
    let before = fulfilled
    let start = Clock.monotonicNow
    for place in 0..<count {
      try pay(place)
      // lspd's messages are handled between two requests, as a wallet of another machine would.
      try loop.turn(waitingMilliseconds: 0)
    }
    try wait("the payments to settle") { fulfilled - before >= count }
    return Clock.monotonicNow - start
  }

  func wait(_ what: String, pausing: Int32 = 5, _ condition: () throws -> Bool) throws {
    let deadline = Clock.monotonicNow + .seconds(3600)
    while try !condition() {
      if let failure { throw BenchError(failure) }
      guard Clock.monotonicNow < deadline else { throw BenchError("waited an hour for \(what)") }
      try loop.turn(waitingMilliseconds: pausing)
    }
  }
}
