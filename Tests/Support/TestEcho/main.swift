// One end of an encrypted connection that says back whatever it hears: for software that is not ours to talk to.
//
//   TestEcho listen            prints its address, and answers whoever dials
//   TestEcho dial ADDRESS      dials, says "hello", and ends with the connection

import Crypto
import DaemonRuntime
import Glibc
import PeerTransport

guard let key = Bytes32(randomBytes(Bytes32.size)).flatMap({ PrivateKey($0) }),
  let anywhere = HostAndPort("127.0.0.1:0")
else { exit(70) }
let words = CommandLine.arguments.dropFirst()
do {
  let loop = try EventLoop()
  var open: [ObjectIdentifier: PeerConnection] = [:]
  func echo(_ connection: PeerConnection) {
    open[ObjectIdentifier(connection)] = connection
    connection.onMessage = { [unowned connection] in connection.send($0) }
    connection.onEnd = { [unowned connection] end in
      printLine("ended: \(end)")
      open[ObjectIdentifier(connection)] = nil
      if words.first == "dial" { loop.stop() }
    }
  }
  var listener: PeerListener?
  switch (words.first, words.dropFirst().first.flatMap { PeerAddress($0) }) {
  case ("listen", _):
    let door = try PeerListener(anywhere, as: key, loop: loop) { echo($0) }
    listener = door
    printLine("\(PeerAddress(node: key.publicKey, place: door.address))")
  case ("dial", let address?):
    let connection = try PeerConnection.dial(address, as: key, loop: loop)
    echo(connection)
    connection.onConnected = { [unowned connection] in connection.send(Array("hello".utf8)) }
    connection.start()
  default:
    exitWithSentence(.wrongUsage, "write TestEcho listen, or TestEcho dial ADDRESS")
  }
  try loop.onSignal(SIGTERM) { loop.stop() }
  try loop.run()
  withExtendedLifetime(listener) {}
} catch { exitWithSentence(.inputOutputError, "\(error)") }
