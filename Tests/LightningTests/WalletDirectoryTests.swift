import Crypto
import Ground
import LightningProvider
import Testing

@Suite("Which wallet a connection or a payment belongs to") struct WalletDirectoryTests {
  private let now = Instant(nanoseconds: 0)
  private let nodes = (1...4).compactMap { PrivateKey(SHA256.hash([UInt8($0)]))?.publicKey }
  private var own: WalletDirectory.Own { WalletDirectory.Own(node: nodes[0]) }

  private func directory(limit: Int, count: Int = 1) -> WalletDirectory {
    WalletDirectory(limit: limit, count: count, keepsFor: .seconds(60))
  }

  @Test func `Of an LSP with one wallet every node joins that wallet's machine`() {
    var one = directory(limit: 1)
    for node in nodes + [nil] {
      #expect(one.arrived(1, of: node, known: nil, own: own, at: now) == .joins(.own))
    }
    #expect(one.deadline == nil)
    #expect(one.wallet(ofPayee: nodes[3], known: nil, own: own) == .own)
  }

  @Test func `Of an LSP with many wallets the own node and a known one join theirs at once`() {
    var many = directory(limit: 9, count: 2)
    #expect(many.arrived(1, of: nodes[0], known: nil, own: own, at: now) == .joins(.own))
    #expect(
      many.arrived(2, of: nodes[1], known: WalletNumber(2), own: own, at: now) == .joins(WalletNumber(2)))
  }

  @Test func `An unknown node waits for its first message, and only a claim makes it a wallet`() {
    var many = directory(limit: 9)
    for id: UInt64 in [1, 2] {
      #expect(many.arrived(id, of: nodes[1], known: nil, own: own, at: now) == .waits(evicting: nil))
    }
    #expect(many.heard(from: 1, of: nodes[1], hasClaim: false, known: nil, own: own) == .joins(.own))
    #expect(many.count == 1)
    #expect(
      many.heard(from: 2, of: nodes[1], hasClaim: true, known: nil, own: own) == .begins(WalletNumber(2)))
    #expect(many.count == 2)
    #expect(many.deadline == nil)
  }

  @Test func `Of two connections of one new node the second joins the wallet that the first began`() {
    var many = directory(limit: 9)
    for id: UInt64 in [1, 2] { _ = many.arrived(id, of: nodes[1], known: nil, own: own, at: now) }
    let begun = WalletNumber(2)
    #expect(many.heard(from: 1, of: nodes[1], hasClaim: true, known: nil, own: own) == .begins(begun))
    #expect(many.heard(from: 2, of: nodes[1], hasClaim: true, known: begun, own: own) == .joins(begun))
    #expect(many.count == 2)
  }

  @Test
  func `While the own wallet has no node, the first claim is its own; not while the node is to be named`() {
    var many = directory(limit: 9)
    let nameless = WalletDirectory.Own(node: nil)
    #expect(many.heard(from: 1, of: nodes[1], hasClaim: true, known: nil, own: nameless) == .joins(.own))
    let awaited = WalletDirectory.Own(node: nil, awaitsName: true)
    #expect(
      many.heard(from: 2, of: nodes[2], hasClaim: true, known: nil, own: awaited) == .begins(WalletNumber(2)))
  }

  @Test func `At the limit no node becomes a wallet, also none that is named`() {
    var two = directory(limit: 2)
    #expect(two.named(nodes[1], known: nil, own: own) == .begins(WalletNumber(2)))
    #expect(two.named(nodes[2], known: nil, own: own) == .isFull)
    #expect(two.heard(from: 1, of: nodes[2], hasClaim: true, known: nil, own: own) == .isFull)
    #expect(two.named(nodes[1], known: WalletNumber(2), own: own) == .joins(WalletNumber(2)))
    var fewer = directory(limit: 2, count: 5)
    #expect(fewer.heard(from: 1, of: nodes[3], hasClaim: true, known: nil, own: own) == .isFull)
  }

  @Test func `A node that is silent for 10 s is let go, and the oldest of 256 makes room`() {
    var many = directory(limit: 9)
    for id in UInt64(1)...256 {
      #expect(many.arrived(id, of: nodes[1], known: nil, own: own, at: now) == .waits(evicting: nil))
    }
    #expect(
      many.arrived(257, of: nodes[1], known: nil, own: own, at: now + .seconds(1)) == .waits(evicting: 1))
    many.left(2)
    #expect(many.deadline == now + .seconds(10))
    #expect(many.takeSilent(at: now + .seconds(10)) == Array(3...256))
    #expect(many.takeSilent(at: now + .seconds(11)) == [257])
    #expect(many.deadline == nil)
  }

  @Test
  func `A payment goes to its payee's wallet, without a payee to the own, and to nobody for a stranger`() {
    let many = directory(limit: 9, count: 2)
    #expect(many.wallet(ofPayee: nil, known: nil, own: own) == .own)
    #expect(many.wallet(ofPayee: nodes[0], known: nil, own: own) == .own)
    #expect(many.wallet(ofPayee: nodes[1], known: WalletNumber(2), own: own) == WalletNumber(2))
    #expect(many.wallet(ofPayee: nodes[2], known: nil, own: own) == nil)
    // Of a wallet that may have no node yet: it must not get what is meant for another.
    #expect(many.wallet(ofPayee: nodes[2], known: nil, own: .init(node: nil)) == nil)
  }

  @Test func `A wallet that is away leaves the memory after its time, and not if it came back meanwhile`() {
    var many = directory(limit: 9, count: 4)
    many.rests(.own, at: now)
    #expect(many.deadline == nil)
    for number: Int64 in 2...4 { many.rests(WalletNumber(number), at: now + .seconds(number)) }
    many.stirs(WalletNumber(2))
    #expect(many.deadline == now + .seconds(62))
    #expect(many.takeRested(at: now + .seconds(62)) == [])
    #expect(many.takeRested(at: now + .seconds(63)) == [WalletNumber(3)])
    many.stirs(WalletNumber(4))
    many.rests(WalletNumber(4), at: now + .seconds(63))
    #expect(many.takeRested(at: now + .seconds(64)) == [])
    #expect(many.takeRested(at: now + .seconds(123)) == [WalletNumber(4)])
    #expect(many.deadline == nil)
  }
}
