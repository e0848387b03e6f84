import Crypto

@testable import Lightning

/// An attacker's bytes in place of a handshake, and messages altered on the network: segmented as the first bytes
/// say, with one byte changed if they say so.
enum SecureChannelFuzz: FuzzTarget {
  static let name = "secure-channel"
  static let longestInput = 512

  private static func key(_ byte: UInt8) -> PrivateKey { PrivateKey(SHA256.hash([byte]))! }

  private static let dialled: (channel: SecureChannel, actOne: [UInt8]) = {
    var actOne: [UInt8] = []
    let channel = SecureChannel(
      dialling: key(1).publicKey, as: key(2), ephemeral: key(3), opening: &actOne)
    return (channel, actOne)
  }()

  private static let answering = SecureChannel(answeringAs: key(1), ephemeral: key(4))

  private static let pair: (sender: SecureChannel, receiver: SecureChannel, actThree: [UInt8]) = {
    var (sender, actOne) = dialled
    var receiver = answering
    receiver.append(actOne[...])
    guard case .handshake(let actTwo, _)? = try? receiver.next() else { preconditionFailure("act one") }
    sender.append(actTwo[...])
    guard case .handshake(let actThree, _)? = try? sender.next() else { preconditionFailure("act two") }
    receiver.append(actThree[...])
    promise((try? receiver.next()) != nil && receiver.isEstablished, "act three was refused")
    return (sender, receiver, actThree)
  }()

  static var seeds: [[UInt8]] {
    [
      [0, 9] + dialled.actOne, [0, 255] + dialled.actOne + pair.actThree, [1, 3, 0, 0, 1, 2, 3],
      [1, 30, 0, 200] + [UInt8](repeating: 7, count: 300), [2, 1] + [UInt8](repeating: 0, count: 50),
    ]
  }

  static func feed(_ bytes: [UInt8]) {
    guard bytes.count > 4 else { return }
    let cut = Int(bytes[1]) + 1
    switch bytes[0] % 3 {
    case 0: shakeHands(answering, bytes.dropFirst(2), cut)
    case 1: carry(bytes.dropFirst(4), cut, changing: Int(bytes[2]) << 8 | Int(bytes[3]))
    default: shakeHands(dialled.channel, bytes.dropFirst(2), cut)
    }
  }

  private static func events(
    _ channel: inout SecureChannel, _ stream: ArraySlice<UInt8>, _ cut: Int
  ) -> (messages: [[UInt8]], error: TransportError?) {
    var messages: [[UInt8]] = []
    var rest = stream
    do throws(TransportError) {
      while !rest.isEmpty {
        channel.append(rest.prefix(cut))
        rest = rest.dropFirst(cut)
        while let event = try channel.next() {
          if case .message(let message) = event { messages.append(message) }
        }
      }
      return (messages, nil)
    } catch { return (messages, error) }
  }

  private static func shakeHands(_ channel: SecureChannel, _ stream: ArraySlice<UInt8>, _ cut: Int) {
    var one = channel
    var other = channel
    let came = events(&one, stream, cut)
    promise(events(&other, stream, 1) == came, "the decrypted messages depend on the segmentation")
    promise(one.isEstablished == other.isEstablished, "the handshake depends on the segmentation")
    if came.error != nil { promise(one.seal([1]) == nil, "something is sent after an error") }
  }

  /// The input as messages of up to 40 bytes; the byte at the given offset is changed if the stream has one there.
  private static func carry(_ input: ArraySlice<UInt8>, _ cut: Int, changing place: Int) {
    var (sender, receiver, _) = pair
    var messages: [[UInt8]] = []
    var stream: [UInt8] = []
    var rest = input
    while let first = rest.first {
      let message = Array(rest.prefix(Int(first) % 40 + 1))
      rest = rest.dropFirst(message.count)
      messages.append(message)
      stream += sender.seal(message) ?? []
    }
    let isChanged = stream.indices.contains(place)
    if isChanged { stream[place] ^= 1 }
    let came = events(&receiver, stream[...], cut)
    promise(messages.starts(with: came.messages), "a message is delivered that was never sent")
    promise((came.error != nil) == isChanged, "a changed byte was accepted, or an unchanged stream refused")
    if !isChanged { promise(came.messages == messages, "a message is missing") }
  }
}
