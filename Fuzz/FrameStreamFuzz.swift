@testable import PeerTransport

/// The stream of a peer, cut into pieces as the first bytes say: however it is cut, the same frames come out.
enum FrameStreamFuzz: FuzzTarget {
  static let name = "frame-stream"
  static let longestInput = 512

  static var seeds: [[UInt8]] {
    let frames = [[1, 2, 3], [], Array(repeating: 7, count: 300)].compactMap(Frame.encode)
    return [[3, 1] + frames.joined(), [255, 0] + frames[0], [0, 0] + frames[2].dropLast()]
  }

  static func feed(_ bytes: [UInt8]) {
    let cuts = bytes.prefix(2).map { Int($0) + 1 }
    let stream = bytes.dropFirst(2)
    var whole = FrameReader()
    whole.append(stream)
    let expected = frames(&whole)
    var reader = FrameReader()
    var pieces: [[UInt8]] = []
    var rest = stream
    var turn = 0
    while !rest.isEmpty {
      let count = cuts[turn % cuts.count]
      reader.append(rest.prefix(count))
      rest = rest.dropFirst(count)
      pieces += frames(&reader)
      turn += 1
    }
    promise(pieces == expected, "frames depend on how the network cut them")
    let encoded = expected.compactMap(Frame.encode).joined()
    promise(stream.starts(with: encoded), "frames are not what was sent")
  }

  private static func frames(_ reader: inout FrameReader) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    while let frame = reader.next() { frames.append(frame) }
    return frames
  }
}
